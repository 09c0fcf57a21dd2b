#pragma once
// Reading and writing of binary formats, with the same member names on both sides, so that one function template can
// describe a layout for both (see style of storage/ocdbt). Integers are little-endian unless the name says otherwise.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "perdure/base/bytes.h"

namespace perdure {

/// Reads from borrowed bytes. Every member throws kCorrupt, naming the byte offset, when the bytes end too early.
class ByteReader {
 public:
  explicit ByteReader(ByteView bytes) : bytes_(bytes) {}

  void u8(std::uint8_t& value);
  void u32be(std::uint32_t& value);
  void u32le(std::uint32_t& value);
  void i32le(std::int32_t& value);
  void u64le(std::uint64_t& value);
  /// LEB128, at most 64 bits; over-long forms are accepted, values over 64 bits are not.
  void varint(std::uint64_t& value);
  /// The next `size` bytes, borrowed from the input.
  ByteView bytes(std::uint64_t size);
  std::string text(std::uint64_t size) { return std::string(as_text(bytes(size))); }

  std::uint64_t position() const { return position_; }
  std::uint64_t remaining() const { return bytes_.size() - position_; }
  /// Throws kCorrupt if anything is left.
  void expect_end() const;

 private:
  [[noreturn]] void fail_short(std::uint64_t wanted) const;
  ByteView bytes_;
  std::uint64_t position_ = 0;
};

/// Appends to a string that it owns.
class ByteWriter {
 public:
  void u8(std::uint8_t value);
  void u32be(std::uint32_t value);
  void u32le(std::uint32_t value);
  void i32le(std::int32_t value);
  void u64le(std::uint64_t value);
  void varint(std::uint64_t value);
  void bytes(ByteView bytes) { text(as_text(bytes)); }
  void text(std::string_view text) { out_.append(text); }

  /// Room for `size` bytes in all, so that large structures are not moved while they grow.
  void reserve(std::uint64_t size) { out_.reserve(size); }
  std::uint64_t size() const { return out_.size(); }
  const std::string& str() const { return out_; }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace perdure
