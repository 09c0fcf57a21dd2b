#pragma once
// What kinds of plain values there are; plain values as arrays without axes and back; conversions between them.
//
// To add one: docs/design/extending.md, "A kind of leaf".
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "perdure/base/leaf.h"

namespace perdure {

enum class ScalarKind { kNone, kBool, kInt, kFloat, kComplex, kText, kBytes, kHandled };

ScalarKind kind_of(const Scalar& scalar);
/// "None", "bool", "int", "float", "complex", "str", "bytes", "handled".
std::string_view name(ScalarKind kind);
/// bool, int, float, complex: what an array of rank 0 can hold.
bool is_number(ScalarKind kind);
/// "a float", "a big integer": for messages.
std::string_view describe(const Scalar& scalar);
/// Of the same type, bit by bit.
bool is_same(const Scalar& a, const Scalar& b);

using Integer = std::variant<std::int64_t, BigInt>;
/// An integer as Python prints it: no zeros in front, no "-0".
bool is_decimal(std::string_view digits);
/// A decimal number: BigInt only if int64 cannot hold it.
Integer int_of_digits(std::string digits);

/// A plain value as another kind of it.
struct ConvertedScalar {
  Scalar value;
  bool changed = false;  // the number is another one: 2.5 as int, 2**53 + 1 as float
};
/// Numbers become any kind of number (float to int cuts the fraction, as Python's int() does); nullopt for what has no such
/// value: text as number, NaN as int, anything but None as None.
std::optional<ConvertedScalar> convert(const Scalar& scalar, ScalarKind kind);

/// An element with its type.
struct Element {
  DType dtype = DType::kUint8;
  std::vector<std::byte> bytes;  // itemsize(dtype), machine order

  ArrayView view() const { return ArrayView::contiguous(bytes.data(), dtype, Shape{}); }
};
/// bool, int64, double or complex as bool, int64, float64, complex128; nullopt for the others.
std::optional<Element> element_of(const Scalar& scalar);
/// The element of an array of rank 0 as plain value of the dtype's kind: bool, int (of any size), float or complex.
Scalar scalar_of(const ArrayView& element);

}  // namespace perdure
