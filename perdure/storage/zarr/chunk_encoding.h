#pragma once
// The stored bytes of chunks, for writers.
//
// Most chunks are exactly a part of memory: chunk_view gives it, to be handed to DataFileWriter::append, whose result is
// the CRC that follows if the metadata has_crc32c(). All others (edges with padding, compressed ones, bools other than 0 and 1, a chunk
// that several pieces share) come from encode_chunk as the whole value.
#include <optional>

#include "perdure/base/leaf.h"
#include "perdure/storage/zarr/chunk_grid.h"
#include "perdure/storage/zarr/metadata.h"

namespace perdure::storage::zarr {

/// The elements of a chunk where they lie (strides allowed), if in C order they are the stored chunk without its crc32c.
std::optional<ArrayView> chunk_view(const ArrayLeaf& array, const ArrayMetadata& metadata, const Shape& chunk_index);

/// The whole stored value of a chunk, codecs applied. Padding is zeros. The result may share the array's memory.
/// Throws kInvalid for metadata that we do not write (transpose, big-endian, shards) and for a chunk that the pieces do not cover.
Blob encode_chunk(const ArrayLeaf& array, const ArrayMetadata& metadata, const Shape& chunk_index);

}  // namespace perdure::storage::zarr
