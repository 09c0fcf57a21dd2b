#include "perdure/storage/zarr/chunk_encoding.h"

#include <algorithm>
#include <cstring>

#include "perdure/base/error.h"
#include "perdure/storage/codec/output_buffer.h"
#include "perdure/storage/zarr/element_bytes.h"

namespace perdure::storage::zarr {
namespace {

/// `box`, counted from the first element of `outer`.
Box relative_to(const Box& outer, Box box) {
  for (std::size_t axis = 0; axis < box.offset.rank(); ++axis) box.offset[axis] -= outer.offset[axis];
  return box;
}

/// A whole chunk within one piece whose memory is what is stored before codecs.
std::optional<ArrayView> find_stored_elements(const ArrayLeaf& array, const ArrayMetadata& metadata, const Box& box) {
  if (box.extent != metadata.chunk_shape) return std::nullopt;
  for (const ArrayPiece& piece : array.pieces) {
    if (intersect(piece.box, box) != box) continue;
    ArrayView view = piece.view.sub(relative_to(piece.box, box));
    const bool usable = info(metadata.dtype).bits >= 8 || (view.is_contiguous() && are_stored_bytes(view.bytes(), metadata.dtype));
    return usable ? std::optional(std::move(view)) : std::nullopt;
  }
  return std::nullopt;
}

/// A fresh chunk with the elements of all pieces.
Blob gather_chunk(const ArrayLeaf& array, const ArrayMetadata& metadata, const Box& box) {
  OutputBuffer buffer(metadata.chunk_bytes());
  if (box.extent != metadata.chunk_shape) std::memset(buffer.data(), 0, buffer.size_max());
  const ArraySpan chunk = ArraySpan::contiguous(buffer.data(), metadata.dtype, metadata.chunk_shape);
  std::uint64_t copied = 0;
  for (const ArrayPiece& piece : array.pieces) {
    const Box common = intersect(piece.box, box);
    if (common.empty()) continue;
    copy_array(piece.view.sub(relative_to(piece.box, common)), chunk.sub(relative_to(box, common)));
    copied += common.extent.element_count();
  }
  if (copied != box.extent.element_count()) {
    throw Error(ErrorKind::kInvalid, "the pieces of the array cover " + std::to_string(copied) + " of the elements in " + box.str());
  }
  to_stored_bytes(buffer.span(), metadata.dtype);
  return buffer.take(buffer.size_max());
}

}  // namespace

std::optional<ArrayView> chunk_view(const ArrayLeaf& array, const ArrayMetadata& metadata, const Shape& chunk_index) {
  if (!metadata.codecs.is_plain()) return std::nullopt;
  return find_stored_elements(array, metadata, chunk_box(metadata.shape, metadata.chunk_shape, chunk_index));
}

Blob encode_chunk(const ArrayLeaf& array, const ArrayMetadata& metadata, const Shape& chunk_index) {
  const ChunkCodecs& codecs = metadata.codecs;
  if (codecs.sharding || codecs.big_endian || !std::ranges::is_sorted(codecs.transpose)) {
    throw Error(ErrorKind::kInvalid, "chunks in shards, big-endian or transposed are read, not written");
  }
  const Box box = chunk_box(metadata.shape, metadata.chunk_shape, chunk_index);
  const auto view = find_stored_elements(array, metadata, box);
  Blob chunk = view && view->is_contiguous() ? Blob(view->bytes(), array.owner) : gather_chunk(array, metadata, box);
  for (const auto& codec : codecs.bytes_codecs) chunk = codec->encode(chunk);
  return chunk;
}

}  // namespace perdure::storage::zarr
