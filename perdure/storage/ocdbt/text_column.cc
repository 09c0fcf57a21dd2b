#include "perdure/storage/ocdbt/text_column.h"

#include <algorithm>

#include "perdure/storage/ocdbt/columns.h"
#include "perdure/storage/ocdbt/envelope.h"

namespace perdure::storage::ocdbt {
namespace {

/// Total bytes of the strings. Front coding lets a few bytes stand for 65535, so the sum meets a limit of its own.
std::uint64_t checked_text_bytes(std::span<const SharedLengths> rows) {
  std::uint64_t before = 0, total = 0;
  for (const SharedLengths& row : rows) {
    if (row.shared > before) {
      throw Error(ErrorKind::kCorrupt,
                  "a string shares " + std::to_string(row.shared) + " bytes with one of " + std::to_string(before));
    }
    if (row.suffix > kTextBytesMax - row.shared) throw Error(ErrorKind::kCorrupt, "a string longer than 65535 bytes");
    before = row.shared + row.suffix;
    total += before;  // at most 2^24 rows of 2^16
  }
  if (total > kBodyBytesMax) throw Error(ErrorKind::kCorrupt, "strings of " + std::to_string(total) + " bytes in one table");
  return total;
}

}  // namespace

void TextColumn::push_back_shared(std::size_t shared, std::string_view suffix) {
  const std::size_t begin = ends_.empty() ? 0 : arena_.size() - (*this)[ends_.size() - 1].size();
  const std::size_t end = arena_.size();
  arena_.resize(end + shared);
  std::copy_n(arena_.data() + begin, shared, arena_.data() + end);
  push_back(suffix);
}

std::size_t common_prefix_length(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  return static_cast<std::size_t>(std::mismatch(a.data(), a.data() + most, b.data()).first - a.data());
}

std::vector<SharedLengths> text_count(ByteReader& io, const TextColumn&, std::uint64_t row_bytes_min) {
  return std::vector<SharedLengths>(read_row_count(io, row_bytes_min));
}

std::vector<SharedLengths> text_count(ByteWriter& io, const TextColumn& texts, std::uint64_t) {
  io.varint(texts.size());
  std::vector<SharedLengths> rows(texts.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].shared = i == 0 ? 0 : common_prefix_length(texts[i - 1], texts[i]);
    rows[i].suffix = texts[i].size() - rows[i].shared;
  }
  return rows;
}

void text_column(ByteReader& io, std::span<const SharedLengths> rows, TextColumn& texts) {
  texts.reserve(rows.size(), checked_text_bytes(rows));
  for (const SharedLengths& row : rows) texts.push_back_shared(row.shared, as_text(io.bytes(row.suffix)));
}

void text_column(ByteWriter& io, std::span<const SharedLengths> rows, const TextColumn& texts) {
  for (std::size_t i = 0; i < rows.size(); ++i) io.text(texts[i].substr(rows[i].shared));
}

}  // namespace perdure::storage::ocdbt
