#pragma once
// Tables of an OCDBT structure are columnar: N values of one field, then N of the next. One function template describes each
// table for reading and for writing; what differs between the two directions is here.
//
// Io is ByteReader or ByteWriter; the rows are const when written.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "perdure/base/byte_io.h"
#include "perdure/base/error.h"

namespace perdure::storage::ocdbt {

/// Lengths of keys, of paths and of what they share.
inline constexpr std::uint64_t kTextBytesMax = 65535;
/// More rows than a node of 100 MB can hold; bounds memory, since a row costs more decoded than encoded.
inline constexpr std::uint64_t kRowCountMax = 1 << 24;

/// The number of rows of a table of which each row takes at least `row_bytes_min` bytes of the input.
inline std::uint64_t read_row_count(ByteReader& io, std::uint64_t row_bytes_min) {
  std::uint64_t count = 0;
  io.varint(count);
  if (count > kRowCountMax || count > io.remaining() / row_bytes_min) {
    throw Error(ErrorKind::kCorrupt,
                std::to_string(count) + " rows announced, " + std::to_string(io.remaining()) + " bytes left");
  }
  return count;
}

template <class Row>
void row_count(ByteReader& io, std::vector<Row>& rows, std::uint64_t row_bytes_min) {
  rows.resize(read_row_count(io, row_bytes_min));
}
template <class Row>
void row_count(ByteWriter& io, const std::vector<Row>& rows, std::uint64_t) {
  io.varint(rows.size());
}

/// Gives a further column of a table its rows.
template <class Row>
void match_rows(ByteReader&, std::vector<Row>& rows, std::size_t count) {
  rows.resize(count);
}
template <class Row>
void match_rows(ByteWriter&, const std::vector<Row>&, std::size_t) {}

}  // namespace perdure::storage::ocdbt
