#pragma once
// Numbers, and None: Orbax has words for bool, int and float; a larger integer is uint64 while it fits, else its digits as text.
#include "perdure/checkpoint/document/leaf_kind.h"

namespace perdure::checkpoint {

struct NoneKind {
  using Value = None;
  static StoredForm stored_form(None value);
  static void encode(DocumentWriter& out, std::uint8_t tag, None value);
  static None decode(DocumentReader& in, std::uint8_t tag_offset);
};

/// The tag is the value.
struct BoolKind {
  using Value = bool;
  static StoredForm stored_form(bool value);
  static void encode(DocumentWriter& out, std::uint8_t tag, bool value);
  static bool decode(DocumentReader& in, std::uint8_t tag_offset);
};

struct IntKind {
  using Value = std::int64_t;
  static StoredForm stored_form(std::int64_t value);
  static void encode(DocumentWriter& out, std::uint8_t tag, std::int64_t value);
  static std::int64_t decode(DocumentReader& in, std::uint8_t tag_offset);
};

struct BigIntKind {
  using Value = BigInt;
  static StoredForm stored_form(const BigInt& value);
  static void encode(DocumentWriter& out, std::uint8_t tag, const BigInt& value);
  static BigInt decode(DocumentReader& in, std::uint8_t tag_offset);
};

struct FloatKind {
  using Value = double;
  static StoredForm stored_form(double value);
  static void encode(DocumentWriter& out, std::uint8_t tag, double value);
  static double decode(DocumentReader& in, std::uint8_t tag_offset);
};

/// Orbax sees an array without axes.
struct ComplexKind {
  using Value = std::complex<double>;
  static StoredForm stored_form(const std::complex<double>& value);
  static void encode(DocumentWriter& out, std::uint8_t tag, const std::complex<double>& value);
  static std::complex<double> decode(DocumentReader& in, std::uint8_t tag_offset);
};

}  // namespace perdure::checkpoint
