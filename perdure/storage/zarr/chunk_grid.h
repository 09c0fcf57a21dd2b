#pragma once
// Which chunks of a regular grid a box touches, and where: for arrays and for the inner chunks of a shard.
#include <vector>

#include "perdure/base/shape.h"
#include "perdure/storage/zarr/array.h"

namespace perdure::storage::zarr {

/// The elements of a chunk that lie inside the array: smaller than chunk_shape at the upper edges.
Box chunk_box(const Shape& shape, const Shape& chunk_shape, const Shape& chunk_index);

/// The chunks that `box` touches, in C order of the grid. Throws kInvalid if the box is not inside `shape`.
std::vector<ChunkRead> plan_chunks(const Shape& shape, const Shape& chunk_shape, const Box& box);

/// Moves `index` on in C order within [first, last] of every axis; false after the last.
bool next_index(Shape& index, const Shape& first, const Shape& last);

}  // namespace perdure::storage::zarr
