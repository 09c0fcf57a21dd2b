#include "perdure/base/copy_plane.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace perdure {
namespace {

using Lanes = std::uint8_t __attribute__((vector_size(16)));
using LaneNumbers = std::make_index_sequence<sizeof(Lanes)>;

constexpr std::size_t kSourceBytes = 256;  // of a column that are read at once: a few lines of one page
constexpr std::size_t kTargetBytes = 64;   // of a row that are written at once: a line
constexpr std::int64_t kLineBytes = 64;

/// Where byte `at` of two zipped vectors comes from, if they are zipped from byte `begin` on.
template <std::size_t kItem>
constexpr int zipped_from(std::size_t at, std::size_t begin) {
  const std::size_t item = at / kItem, byte = at % kItem;
  return static_cast<int>((item % 2 == 0 ? 0 : sizeof(Lanes)) + begin + item / 2 * kItem + byte);
}

/// Elements of `a` and `b` in turn, from their first or their second halves.
template <std::size_t kItem, bool kUpper, std::size_t... kAt>
Lanes zip(Lanes a, Lanes b, std::index_sequence<kAt...>) {
  return __builtin_shufflevector(a, b, zipped_from<kItem>(kAt, kUpper ? sizeof(Lanes) / 2 : 0)...);
}

/// A square of elements, 16 bytes wide: rows become columns by zipping each with that half the square below, again and again.
template <std::size_t kItem>
void turn_square(const std::byte* source, std::size_t source_stride, std::byte* target, std::size_t target_stride) {
  constexpr std::size_t kEdge = sizeof(Lanes) / kItem;
  std::array<Lanes, kEdge> rows, zipped;
  for (std::size_t i = 0; i < kEdge; ++i) std::memcpy(&rows[i], source + i * source_stride, sizeof(Lanes));
  for (std::size_t done = 1; done < kEdge; done *= 2) {
    for (std::size_t i = 0; i < kEdge / 2; ++i) {
      zipped[2 * i] = zip<kItem, false>(rows[i], rows[i + kEdge / 2], LaneNumbers());
      zipped[2 * i + 1] = zip<kItem, true>(rows[i], rows[i + kEdge / 2], LaneNumbers());
    }
    rows = zipped;
  }
  for (std::size_t i = 0; i < kEdge; ++i) std::memcpy(target + i * target_stride, &rows[i], sizeof(Lanes));
}

/// `count` elements; kFull is the usual count, whose copy needs no call.
template <std::size_t kItem, std::int64_t kFull>
void copy_items(const std::byte* source, std::int64_t source_stride, std::byte* target, std::int64_t target_stride,
                std::int64_t count) {
  constexpr auto kContiguous = static_cast<std::int64_t>(kItem);
  if (count == kFull && source_stride == kContiguous && target_stride == kContiguous) {
    std::memcpy(target, source, kFull * kItem);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) std::memcpy(target + i * target_stride, source + i * source_stride, kItem);
}

template <std::size_t kItem>
class PlaneCopy {
 public:
  PlaneCopy(const CopyAxis& outer, const CopyAxis& inner) : outer_(outer), inner_(inner) {}

  void run(const std::byte* source, std::byte* target) {
    for (std::int64_t i = 0; i < outer_.extent; i += kRows) {
      for (std::int64_t j = 0; j < inner_.extent; j += kColumns) {
        const std::int64_t rows = std::min(kRows, outer_.extent - i), columns = std::min(kColumns, inner_.extent - j);
        const std::byte* tile = source + i * outer_.source_stride + j * inner_.source_stride;
        if (j + 2 * kColumns <= inner_.extent) prefetch(tile + kColumns * inner_.source_stride, rows);
        read(tile, rows, columns);
        turn(rows);
        write(target + i * outer_.target_stride + j * inner_.target_stride, rows, columns);
      }
    }
  }

 private:
  static constexpr std::int64_t kRows = kSourceBytes / kItem, kColumns = kTargetBytes / kItem;
  static constexpr std::int64_t kEdge = sizeof(Lanes) / kItem;

  void prefetch(const std::byte* tile, std::int64_t rows) const {
    if (outer_.source_stride != static_cast<std::int64_t>(kItem)) return;
    for (std::int64_t j = 0; j < kColumns; ++j) {
      for (std::int64_t at = 0; at < rows * static_cast<std::int64_t>(kItem); at += kLineBytes)
        __builtin_prefetch(tile + j * inner_.source_stride + at);
    }
  }

  void read(const std::byte* tile, std::int64_t rows, std::int64_t columns) {
    for (std::int64_t j = 0; j < columns; ++j)
      copy_items<kItem, kRows>(tile + j * inner_.source_stride, outer_.source_stride, columns_[j], kItem, rows);
  }

  void turn(std::int64_t rows) {
    for (std::int64_t i = 0; i < rows; i += kEdge) {
      for (std::int64_t j = 0; j < kColumns; j += kEdge)
        turn_square<kItem>(columns_[j] + i * kItem, kSourceBytes, rows_[i] + j * kItem, kTargetBytes);
    }
  }

  void write(std::byte* tile, std::int64_t rows, std::int64_t columns) const {
    for (std::int64_t i = 0; i < rows; ++i)
      copy_items<kItem, kColumns>(rows_[i], kItem, tile + i * outer_.target_stride, inner_.target_stride, columns);
  }

  const CopyAxis outer_;
  const CopyAxis inner_;
  alignas(64) std::byte columns_[kColumns][kSourceBytes] = {};  // as in the source
  alignas(64) std::byte rows_[kRows][kTargetBytes] = {};        // as in the target
};

template <std::size_t kItem>
void copy_plane(const std::byte* source, std::byte* target, const CopyAxis& outer, const CopyAxis& inner) {
  PlaneCopy<kItem>(outer, inner).run(source, target);
}

}  // namespace

PlaneCopier find_plane_copier(std::size_t item_bytes) {
  switch (item_bytes) {
    case 1: return copy_plane<1>;
    case 2: return copy_plane<2>;
    case 4: return copy_plane<4>;
    case 8: return copy_plane<8>;
    case 16: return copy_plane<16>;
    default: return nullptr;
  }
}

}  // namespace perdure
