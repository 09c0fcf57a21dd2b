#pragma once
// Which chunks of a regular grid there are, which of them a box touches, and where: for arrays and for the inner chunks of a shard.
#include <cstdint>
#include <optional>
#include <vector>

#include "perdure/base/shape.h"
#include "perdure/storage/zarr/array.h"

namespace perdure::storage::zarr {

/// Position of a chunk in the C order of the grid, and back.
std::uint64_t number_of_chunk(const Shape& grid, const Shape& chunk_index);
Shape index_of_chunk(const Shape& grid, std::uint64_t number);

/// All elements of a chunk, with its padding: may reach beyond the array.
Box padded_chunk_box(const Shape& chunk_shape, const Shape& chunk_index);
/// The elements of a chunk that lie inside the array: smaller than chunk_shape at the upper edges.
Box clipped_chunk_box(const Shape& shape, const Shape& chunk_shape, const Shape& chunk_index);

/// The chunks that `box` touches, in C order of the grid. Throws kInvalid if the box is not inside `shape`.
std::vector<ChunkRead> plan_chunks(const Shape& shape, const Shape& chunk_shape, const Box& box);

/// First element of a box in the C order of `shape`, when the box is one run there.
std::optional<std::uint64_t> find_run(const Box& box, const Shape& shape);

/// Moves `index` on in C order within [first, last] of every axis; false after the last.
bool next_index(Shape& index, const Shape& first, const Shape& last);

}  // namespace perdure::storage::zarr
