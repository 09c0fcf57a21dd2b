#include "perdure/storage/zarr/chunk_grid.h"

#include <algorithm>

#include "perdure/base/error.h"

namespace perdure::storage::zarr {
namespace {

/// Where `inner` begins, seen from where `outer` begins.
Shape offset_in(const Box& inner, const Shape& outer_offset) {
  Shape offset = inner.offset;
  for (std::size_t axis = 0; axis < offset.rank(); ++axis) offset[axis] -= outer_offset[axis];
  return offset;
}

}  // namespace

std::uint64_t number_of_chunk(const Shape& grid, const Shape& chunk_index) {
  std::uint64_t number = 0;
  for (std::size_t axis = 0; axis < grid.rank(); ++axis) number = number * grid[axis] + chunk_index[axis];
  return number;
}

Shape index_of_chunk(const Shape& grid, std::uint64_t number) {
  Shape index = grid;
  for (std::size_t axis = grid.rank(); axis-- > 0; number /= grid[axis]) index[axis] = number % grid[axis];
  return index;
}

Box padded_chunk_box(const Shape& chunk_shape, const Shape& chunk_index) {
  Box box{chunk_index, chunk_shape};
  for (std::size_t axis = 0; axis < chunk_shape.rank(); ++axis) box.offset[axis] *= chunk_shape[axis];
  return box;
}

Box clipped_chunk_box(const Shape& shape, const Shape& chunk_shape, const Shape& chunk_index) {
  Box box = padded_chunk_box(chunk_shape, chunk_index);
  for (std::size_t axis = 0; axis < shape.rank(); ++axis)
    box.extent[axis] = std::min(chunk_shape[axis], shape[axis] - box.offset[axis]);
  return box;
}

std::optional<std::uint64_t> find_run(const Box& box, const Shape& shape) {
  std::uint64_t start = 0;
  bool must_be_whole = false;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (must_be_whole && box.extent[axis] != shape[axis]) return std::nullopt;
    if (box.extent[axis] > 1) must_be_whole = true;
    start = start * shape[axis] + box.offset[axis];
  }
  return start;
}

bool next_index(Shape& index, const Shape& first, const Shape& last) {
  for (std::size_t axis = index.rank(); axis-- > 0;) {
    if (index[axis] < last[axis]) {
      ++index[axis];
      return true;
    }
    index[axis] = first[axis];
  }
  return false;
}

std::vector<ChunkRead> plan_chunks(const Shape& shape, const Shape& chunk_shape, const Box& box) {
  if (!box.fits(shape))
    throw Error(ErrorKind::kInvalid, "box " + box.str() + " does not lie in an array of shape " + shape.str());
  std::vector<ChunkRead> reads;
  if (box.empty()) return reads;
  Shape first = box.offset, last = box.offset;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    first[axis] = box.offset[axis] / chunk_shape[axis];
    last[axis] = (box.offset[axis] + box.extent[axis] - 1) / chunk_shape[axis];
  }
  Shape index = first;
  do {
    const Box chunk = clipped_chunk_box(shape, chunk_shape, index);
    const Box common = intersect(chunk, box);
    reads.push_back({index, {offset_in(common, chunk.offset), common.extent}, {offset_in(common, box.offset), common.extent}});
  } while (next_index(index, first, last));
  return reads;
}

}  // namespace perdure::storage::zarr
