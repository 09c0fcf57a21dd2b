#include "perdure/storage/zarr/chunk_encoding.h"

#include <algorithm>
#include <cassert>

#include "perdure/base/cast.h"
#include "perdure/base/error.h"
#include "perdure/storage/codec/output_buffer.h"
#include "perdure/storage/zarr/chunk_grid.h"
#include "perdure/storage/zarr/element_bytes.h"

namespace perdure::storage::zarr {
namespace {

Box padded_box(const ArrayMetadata& metadata, std::uint64_t number) {
  return padded_chunk_box(metadata.chunk_shape, index_of_chunk(metadata.grid(), number));
}

/// True if the elements can be written as they lie in memory.
bool is_stored_form(const ArrayView& view, DType stored) {
  if (view.dtype != stored) return false;
  return !has_unused_bits(stored) || (view.is_contiguous() && are_stored_bytes(view.bytes(), stored));
}

void check_is_written(const ChunkCodecs& codecs) {
  if (!codecs.sharding && !codecs.big_endian && std::ranges::is_sorted(codecs.transpose)) return;
  throw Error(ErrorKind::kInvalid, "chunks in shards, big-endian or transposed are read, not written");
}

/// The elements of a chunk where they lie, if that is one piece of memory with the dtype of the metadata and no padding but behind
/// them. Strides are any.
std::optional<ArrayView> find_chunk_in_memory(std::span<const ArrayPiece> pieces, const ArrayMetadata& metadata,
                                              std::uint64_t number) {
  if (pieces.size() == 1 && pieces[0].view.dtype != metadata.dtype) return std::nullopt;
  if (pieces.size() == 1 && metadata.chunk_shape == metadata.shape) return pieces[0].view;  // most arrays, without any arithmetic
  const Box inside = intersect(padded_box(metadata, number), Box::whole(metadata.shape));
  if (!find_run(Box::whole(inside.extent), metadata.chunk_shape)) return std::nullopt;
  const auto piece = std::ranges::find_if(pieces, [&](const ArrayPiece& each) { return contains(each.box, inside); });
  if (piece == pieces.end() || piece->view.dtype != metadata.dtype) return std::nullopt;
  return piece->view.sub(relative_to(inside, piece->box.offset));
}

}  // namespace

ChunkBytes::ChunkBytes(std::span<const ArrayPiece> pieces, const ArrayMetadata& metadata, std::uint64_t number)
    : pieces_(pieces), metadata_(metadata), number_(number), found_(find_chunk_in_memory(pieces, metadata, number)) {
  check_is_written(metadata.codecs);
  if (found_ && !is_stored_form(*found_, metadata.dtype)) found_.reset();
}

ByteView ChunkBytes::in_memory() const { return found_ && found_->is_contiguous() ? found_->bytes() : ByteView{}; }

void ChunkBytes::fill(std::uint64_t offset_bytes, ByteSpan target) const {
  if (!found_) return fill_elements(offset_bytes, target);
  const std::uint64_t size = found_->size_bytes();
  const std::uint64_t taken = offset_bytes < size ? std::min<std::uint64_t>(size - offset_bytes, target.size()) : 0;
  gather_bytes(*found_, offset_bytes, target.first(taken));
  std::ranges::fill(target.subspan(taken), std::byte{0});
}

void ChunkBytes::fill_elements(std::uint64_t offset_bytes, ByteSpan target) const {
  const std::uint64_t size = itemsize(metadata_.dtype);
  assert(offset_bytes % size == 0 && target.size() % size == 0);
  const Box chunk = padded_box(metadata_, number_);
  for (std::uint64_t first = offset_bytes / size; !target.empty();) {
    Box box = leading_box(chunk.extent, first, target.size() / size);
    for (std::size_t axis = 0; axis < box.offset.rank(); ++axis) box.offset[axis] += chunk.offset[axis];
    const std::uint64_t count = box.extent.element_count();
    fill_box(box, target.first(count * size));
    target = target.subspan(count * size);
    first += count;
  }
}

void ChunkBytes::fill_box(const Box& box, ByteSpan target) const {
  if (!contains(Box::whole(metadata_.shape), box)) std::ranges::fill(target, std::byte{0});
  const ArraySpan all = ArraySpan::contiguous(target.data(), metadata_.dtype, box.extent);
  for (const ArrayPiece& piece : pieces_) {
    const Box common = intersect(box, piece.box);
    if (common.empty()) continue;
    const ArrayView source = piece.view.sub(relative_to(common, piece.box.offset));
    const ArraySpan part = all.sub(relative_to(common, box.offset));
    if (source.dtype == metadata_.dtype) {
      copy_array(source, part);
    } else {
      cast_changed_values_ |= cast_array(source, part).any();
    }
  }
  to_stored_bytes(target, metadata_.dtype);
}

Blob encode_chunk(const ChunkBytes& bytes, bool is_immutable) {
  Blob chunk(bytes.in_memory(), nullptr);
  if (!is_immutable || chunk.size() != bytes.size_bytes()) {
    OutputBuffer buffer(bytes.size_bytes());
    bytes.fill(0, buffer.span());
    chunk = buffer.take(buffer.size_max());
  }
  for (const auto& codec : bytes.metadata().codecs.bytes_codecs) chunk = codec->encode(chunk);
  return chunk;
}

}  // namespace perdure::storage::zarr
