#pragma once
// Reading a box of one chunk: through its codecs, its shards and its permutation.
//
// A permuted chunk is read as the C-ordered chunk it is on disk, into a target whose axes are permuted likewise. A shard is a grid of
// chunks again: its index says where they lie, and each one that the box touches is read like any chunk.
#include "perdure/storage/zarr/array.h"
#include "perdure/storage/zarr/byte_source.h"

namespace perdure::storage::zarr {

/// What is the same for a chunk and all chunks inside it.
struct ChunkContext {
  DType dtype = DType::kUint8;
  ByteView fill_value;
  ReadOptions options;
};

/// Reads `box` (not empty) of a chunk of `shape` from `source` into `target` (shape of the box, any strides). Throws kCorrupt.
void read_chunk_box(const ByteSource& source, const ChunkCodecs& codecs, const Shape& shape, const Box& box,
                    const ArraySpan& target, const ChunkContext& context);

/// Serves a chunk that is not stored: fills `target`, or throws kCorrupt, as the options say.
void read_missing_chunk(const ArraySpan& target, const ChunkContext& context);

}  // namespace perdure::storage::zarr
