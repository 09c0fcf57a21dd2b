#include "perdure/checkpoint/plan/plan_array.h"

#include <algorithm>

#include "perdure/base/checksum.h"
#include "perdure/base/error.h"
#include "perdure/checkpoint/files/item_name.h"
#include "perdure/checkpoint/plan/chunk_shape.h"

namespace perdure::checkpoint {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorKind::kInvalid, why); }

void check_pieces(std::span<const ArrayPiece> pieces, const Shape& shape, DType dtype) {
  std::uint64_t covered = 0;
  for (const ArrayPiece& piece : pieces) {
    if (!piece.box.fits(shape) || !(piece.view.shape == piece.box.extent) || piece.view.dtype != dtype) {
      refuse("a piece " + piece.box.str() + " of " + std::string(name(piece.view.dtype)) + " does not fit an array of shape " +
             shape.str() + " and " + std::string(name(dtype)));
    }
    covered = checked_add(covered, piece.box.extent.element_count());
  }
  if (covered != shape.element_count()) {
    refuse("the pieces hold " + std::to_string(covered) + " elements of an array of shape " + shape.str());
  }
}

Shape written_at_once(std::span<const ArrayPiece> pieces, const Shape& shape, const ArraySaveOptions& options) {
  if (!options.write_shape) return pieces.size() < 2 ? shape : pieces[0].box.extent;
  Shape piece = *options.write_shape;
  if (piece.rank() != shape.rank()) refuse("write_shape " + piece.str() + " of an array of shape " + shape.str());
  for (std::size_t axis = 0; axis < piece.rank(); ++axis) {
    piece[axis] = std::min(piece[axis], std::max<std::uint64_t>(shape[axis], 1));
    if (piece[axis] == 0) refuse("write_shape " + piece.str() + " has no elements");
  }
  return piece;
}

Shape chunk_shape_of(const Shape& shape, const Shape& piece, DType dtype, const ArraySaveOptions& options) {
  const std::uint64_t bytes_max =
      options.compression ? std::min(options.chunk_bytes_max, kCompressedChunkBytesMax) : options.chunk_bytes_max;
  if (!options.chunk_bytes_divided && options.shard_axes.empty())
    return choose_chunk_shape(shape, piece, itemsize(dtype), bytes_max);
  const std::uint64_t divided_max = options.chunk_bytes_divided.value_or(bytes_max);
  return divide_chunk_shape(shape, piece, itemsize(dtype), divided_max, options.shard_axes);
}

Placement placement_of(const PlannedArray& array) {
  const std::uint64_t stored = checked_add(array.chunk_bytes(), array.metadata.codecs.has_crc32c() ? kCrc32cBytes : 0);
  if (stored <= kInlineBytesMax) return Placement::kInline;
  return array.chunk_bytes() < kPagePlacementBytesMin ? Placement::kPacked : Placement::kPage;
}

}  // namespace

PlannedArray plan_array(std::string name, std::span<const ArrayPiece> pieces, const Shape& shape, DType dtype,
                        const ArraySaveOptions& options) {
  if (!options.use_ocdbt) check_array_directory_name(name);
  if (name.size() > kStorageNameBytesMax) refuse("the name has " + std::to_string(name.size()) + " bytes, at most 64000 fit");
  check_pieces(pieces, shape, dtype);
  PlannedArray array;
  array.name = std::move(name);
  array.pieces = pieces;
  array.format = {.zarr_format = options.use_zarr3 ? 3 : 2, .compression = options.compression, .crc32c = options.use_zarr3};
  const Shape piece = written_at_once(pieces, shape, options);
  const DType stored = options.dtype.value_or(dtype);
  const Shape chunk_shape = chunk_shape_of(shape, piece, stored, options);
  array.metadata = storage::zarr::make_metadata(stored, shape, chunk_shape, array.format);
  array.has_chosen_chunks = options.write_shape || options.chunk_bytes_divided || !options.shard_axes.empty();
  array.chunk_count = array.metadata.grid().element_count();
  array.placement = placement_of(array);
  return array;
}

}  // namespace perdure::checkpoint
