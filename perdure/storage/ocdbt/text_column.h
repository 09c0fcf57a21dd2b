#pragma once
// Many strings in one allocation, and their front coding: each string as what it shares with the one before, and a suffix.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/base/byte_io.h"

namespace perdure::storage::ocdbt {

class TextColumn {
 public:
  std::size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  std::string_view operator[](std::size_t index) const {
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
    return std::string_view(arena_).substr(begin, ends_[index] - begin);
  }
  void push_back(std::string_view text) {
    arena_.append(text);
    ends_.push_back(arena_.size());
  }
  void reserve(std::size_t count, std::size_t size_bytes) {
    ends_.reserve(count);
    arena_.reserve(size_bytes);
  }
  /// Appends the first `shared` bytes of the last string, then `suffix`. `shared` must not exceed the last string.
  void push_back_shared(std::size_t shared, std::string_view suffix);
  std::size_t size_bytes() const { return arena_.size(); }
  bool operator==(const TextColumn&) const = default;

 private:
  std::string arena_;
  std::vector<std::size_t> ends_;
};

/// One front-coded string.
struct SharedLengths {
  std::uint64_t shared = 0;
  std::uint64_t suffix = 0;
};

/// What a table of strings starts with: how many there are. `row_bytes_min`: see columns.h.
std::vector<SharedLengths> text_count(ByteReader& io, const TextColumn& texts, std::uint64_t row_bytes_min);
std::vector<SharedLengths> text_count(ByteWriter& io, const TextColumn& texts, std::uint64_t row_bytes_min);

/// The two columns of lengths; the first string shares nothing and has no row in the first.
template <class Io>
void text_length_columns(Io& io, std::span<SharedLengths> rows) {
  for (std::size_t i = 1; i < rows.size(); ++i) io.varint(rows[i].shared);
  for (auto& row : rows) io.varint(row.suffix);
}

/// The suffixes. Reading throws kCorrupt for lengths beyond 65535 or beyond the string before, and for far too many bytes.
void text_column(ByteReader& io, std::span<const SharedLengths> rows, TextColumn& texts);
void text_column(ByteWriter& io, std::span<const SharedLengths> rows, const TextColumn& texts);

std::size_t common_prefix_length(std::string_view a, std::string_view b);

}  // namespace perdure::storage::ocdbt
