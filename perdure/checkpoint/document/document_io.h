#pragma once
// What the item document is made of: varints, texts after their length, doubles by their bits; with the same member names on both
// sides. Origins are few and stand in a table, of which leaves keep the index.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/base/byte_io.h"

namespace perdure::checkpoint {

class DocumentWriter {
 public:
  void u8(std::uint8_t value) { out_.u8(value); }
  void u32(std::uint32_t value) { out_.u32le(value); }
  void u64(std::uint64_t value) { out_.u64le(value); }
  void varint(std::uint64_t value) { out_.varint(value); }
  void f64(double value);
  void text(std::string_view text);

  /// Adds to the table.
  void add_origin(const std::string& origin);
  void origin_table();
  /// One that was added.
  void origin(const std::string& origin) { varint(origins_.at(origin)); }

  ByteWriter& bytes() { return out_; }

 private:
  ByteWriter out_;
  std::map<std::string, std::uint64_t, std::less<>> origins_;
  std::vector<const std::string*> origin_order_;  // keys of origins_
};

/// Borrows the bytes. Every member throws kCorrupt.
class DocumentReader {
 public:
  explicit DocumentReader(ByteView bytes) : in_(bytes) {}

  std::uint8_t u8();
  std::uint32_t u32();
  std::uint64_t u64();
  std::uint64_t varint();
  double f64();
  std::string text() { return in_.text(varint()); }

  /// A number of things that take at least a byte each, so that a hostile one cannot make us allocate.
  std::uint64_t count();
  std::uint32_t index(std::uint64_t end, const char* of_what);

  void origin_table();
  const std::string& origin() { return origins_[index(origins_.size(), "origin")]; }

  /// Throws if anything is left.
  void expect_end() const { in_.expect_end(); }

 private:
  ByteReader in_;
  std::vector<std::string> origins_;
};

[[noreturn]] void fail_document(const std::string& what);

}  // namespace perdure::checkpoint
