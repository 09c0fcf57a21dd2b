#include "perdure/checkpoint/plan/chunk_shape.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "perdure/base/error.h"

namespace perdure::checkpoint {
namespace {

constexpr std::uint64_t kTriesMax = 16;
constexpr std::uint64_t kDividedShareMin = 64;  // chunks much smaller than asked for would be too many
constexpr std::uint64_t kPaddingShare = 32;     // at most 1/32 of the rows may be padding for the sake of whole pages

/// `extent` in the fewest equal parts, from `parts_min` to `parts_max`; 0 if none of these divide it.
std::uint64_t rows_of_equal_parts(std::uint64_t extent, std::uint64_t parts_min, std::uint64_t parts_max) {
  for (std::uint64_t parts = parts_min; parts <= parts_max; ++parts) {
    if (extent % parts == 0) return extent / parts;
  }
  return 0;
}

/// Rows of a chunk when `extent` rows of `row_bytes` are split into few equal parts of at most `rows_max`.
std::uint64_t even_rows(std::uint64_t extent, std::uint64_t row_bytes, std::uint64_t rows_max) {
  const std::uint64_t parts_min = ceil_divide(extent, rows_max);
  const std::uint64_t unit = kPageBytes / std::gcd(row_bytes, kPageBytes);  // rows that fill whole pages
  for (std::uint64_t parts = parts_min; parts <= 2 * parts_min && parts - parts_min <= kTriesMax; ++parts) {
    const std::uint64_t rows = align_up(ceil_divide(extent, parts), unit);
    if (rows <= rows_max && ceil_divide(extent, rows) * rows - extent <= extent / kPaddingShare) return rows;
  }
  return ceil_divide(extent, parts_min);
}

/// As even_rows, but a divisor of `extent` if one is near: then no chunk crosses the border of a piece.
std::uint64_t dividing_rows(std::uint64_t extent, std::uint64_t row_bytes, std::uint64_t rows_max) {
  const std::uint64_t parts_min = ceil_divide(extent, rows_max);
  const std::uint64_t rows = rows_of_equal_parts(extent, parts_min, parts_min + std::min(parts_min, kTriesMax));
  return rows != 0 ? rows : even_rows(extent, row_bytes, rows_max);
}

/// The greatest divisor of `extent` below `current`, which divides it.
std::uint64_t next_divisor(std::uint64_t extent, std::uint64_t current) {
  std::uint64_t parts = extent / current + 1;
  for (; parts <= extent / parts; ++parts) {
    if (extent % parts == 0) return extent / parts;
  }
  std::uint64_t divisor = std::min(current - 1, extent / parts + 1);
  while (extent % divisor != 0) --divisor;
  return divisor;
}

/// The largest of `axes` that is not 1 yet, the first of equals.
std::optional<std::uint64_t> largest_axis(const Shape& chunk, const std::vector<std::uint64_t>& axes) {
  std::optional<std::uint64_t> largest;
  for (const std::uint64_t axis : axes) {
    if (chunk[axis] > 1 && (!largest || chunk[axis] > chunk[*largest])) largest = axis;
  }
  return largest;
}

}  // namespace

std::uint64_t divide_evenly(std::uint64_t extent, std::uint64_t rows_max) {
  const std::uint64_t parts_min = ceil_divide(extent, rows_max);
  return rows_of_equal_parts(extent, parts_min, std::min(parts_min * kDividedShareMin, extent));
}

Shape choose_chunk_shape(const Shape& shape, const Shape& piece, std::uint64_t itemsize, std::uint64_t chunk_bytes_max) {
  const bool is_cut = !(piece == shape);
  Shape chunk = piece;
  for (std::size_t axis = 0; axis < chunk.rank(); ++axis) chunk[axis] = std::max<std::uint64_t>(chunk[axis], 1);
  std::uint64_t bytes = checked_multiply(chunk.element_count(), itemsize);
  for (std::size_t axis = 0; axis < chunk.rank() && bytes > chunk_bytes_max; ++axis) {
    const std::uint64_t row_bytes = bytes / chunk[axis];
    const std::uint64_t rows_max = std::max<std::uint64_t>(chunk_bytes_max / row_bytes, 1);
    if (rows_max < chunk[axis]) {
      chunk[axis] = (is_cut ? dividing_rows : even_rows)(chunk[axis], row_bytes, rows_max);
    }
    bytes = row_bytes * chunk[axis];
  }
  return chunk;
}

Shape divide_chunk_shape(const Shape& shape, const Shape& piece, std::uint64_t itemsize, std::uint64_t chunk_bytes_max,
                         const std::vector<std::uint64_t>& shard_axes) {
  Shape chunk = piece;
  std::vector<std::uint64_t> all_axes, cut_axes;
  for (std::size_t axis = 0; axis < chunk.rank(); ++axis) {
    chunk[axis] = std::max<std::uint64_t>(chunk[axis], 1);
    all_axes.push_back(axis);
    if (shape[axis] != piece[axis]) cut_axes.push_back(axis);
  }
  for (const std::uint64_t axis : shard_axes) {
    if (axis >= chunk.rank())
      throw Error(ErrorKind::kInvalid, "shard axis " + std::to_string(axis) + " of an array of shape " + shape.str());
    chunk[axis] = 1;
  }
  while (checked_multiply(chunk.element_count(), itemsize) > chunk_bytes_max) {
    auto axis = largest_axis(chunk, cut_axes);
    if (!axis) axis = largest_axis(chunk, all_axes);
    if (!axis) break;
    chunk[*axis] = next_divisor(piece[*axis], chunk[*axis]);
  }
  const bool is_too_small = chunk.element_count() * itemsize < chunk_bytes_max / kDividedShareMin && !(chunk == piece);
  return is_too_small && shard_axes.empty() ? choose_chunk_shape(shape, piece, itemsize, chunk_bytes_max) : chunk;
}

}  // namespace perdure::checkpoint
