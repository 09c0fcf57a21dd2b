#pragma once
// The stored bytes of chunks, for writers: the elements in C order, cast to the dtype of the metadata, padded with zeros to the whole
// chunk, then through the bytes-to-bytes codecs.
//
// append_chunk gives the bytes before codecs. A chunk that lies in one piece of memory is handed on as a view, so that it is copied
// once, into the write buffer; only casts, and chunks made of several pieces or padded on inner axes, pass through a scratch buffer, run
// by run. If the metadata is plain, its bytes and (where has_crc32c()) their CRC are the stored value. Otherwise encode_chunk makes it.
#include <cstdint>
#include <span>

#include "perdure/base/leaf.h"
#include "perdure/storage/zarr/metadata.h"

namespace perdure::storage::zarr {

/// Takes the bytes of a chunk in order.
class ChunkSink {
 public:
  virtual ~ChunkSink() = default;
  virtual void append(ByteView bytes) = 0;
  virtual void append(const ArrayView& array) = 0;  // its elements in C order
};

/// The elements of the chunk with this number (index_of_chunk). The pieces make up the whole array.
/// Throws kInvalid for metadata that we do not write (transpose, big-endian, shards).
void append_chunk(std::span<const ArrayPiece> pieces, const ArrayMetadata& metadata, std::uint64_t number, ChunkSink& sink);

/// The same in memory of its own, with all codecs: the whole stored value.
Blob encode_chunk(std::span<const ArrayPiece> pieces, const ArrayMetadata& metadata, std::uint64_t number);

}  // namespace perdure::storage::zarr
