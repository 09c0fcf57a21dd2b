#pragma once
// The stored bytes of chunks, for writers: the elements in C order, cast to the dtype of the metadata, padded with zeros to the whole
// chunk, then through the bytes-to-bytes codecs.
//
// A chunk that lies in one piece of memory as it is stored can be taken from there. Any other is put together where the caller wants
// it, part by part: into a write buffer, without memory in between. If the metadata is plain, these bytes and (where has_crc32c())
// their CRC are the stored value. Otherwise encode_chunk makes it.
#include <cstdint>
#include <optional>
#include <span>

#include "perdure/base/leaf.h"
#include "perdure/storage/zarr/metadata.h"

namespace perdure::storage::zarr {

/// The bytes before codecs of the chunk with this number (index_of_chunk). Borrows pieces, which make up the whole array, and metadata.
class ChunkBytes {
 public:
  /// Throws kInvalid for metadata that we do not write (transpose, big-endian, shards).
  ChunkBytes(std::span<const ArrayPiece> pieces, const ArrayMetadata& metadata, std::uint64_t number);

  const ArrayMetadata& metadata() const { return metadata_; }
  std::uint64_t size_bytes() const { return metadata_.chunk_bytes(); }
  /// The first bytes of the chunk, which lie in memory as they are stored; zeros follow. Empty: use fill().
  ByteView in_memory() const;
  /// Puts bytes [offset_bytes, offset_bytes + target.size()) into `target`. Both are multiples of the itemsize.
  void fill(std::uint64_t offset_bytes, ByteSpan target) const;
  /// Whether a cast in fill() has changed a value, beyond the rounding of floats.
  bool cast_changed_values() const { return cast_changed_values_; }

 private:
  void fill_elements(std::uint64_t offset_bytes, ByteSpan target) const;
  void fill_box(const Box& box, ByteSpan target) const;

  std::span<const ArrayPiece> pieces_;
  const ArrayMetadata& metadata_;
  std::uint64_t number_;
  std::optional<ArrayView> found_;
  mutable bool cast_changed_values_ = false;  // a ChunkBytes is of one thread
};

/// The chunk with all codecs: the whole stored value. `is_immutable`: nobody changes the pieces meanwhile, so that what is in_memory()
/// need not be copied before it is compressed.
Blob encode_chunk(const ChunkBytes& bytes, bool is_immutable = false);

}  // namespace perdure::storage::zarr
