#include "perdure/checkpoint/chunk_bytes.h"

#include <algorithm>
#include <array>

#include "perdure/base/cast.h"
#include "perdure/checkpoint/chunk_shape.h"
#include "perdure/storage/zarr/element_bytes.h"

namespace perdure::checkpoint {
namespace {

Box relative_to(const Box& box, const Shape& origin) {
  Box moved = box;
  for (std::size_t axis = 0; axis < origin.rank(); ++axis) moved.offset[axis] -= origin[axis];
  return moved;
}

bool contains(const Box& outer, const Box& inner) { return intersect(outer, inner) == inner; }

bool equal_but_axis_0(const Shape& a, const Shape& b) {
  for (std::size_t axis = 1; axis < a.rank(); ++axis) {
    if (a[axis] != b[axis]) return false;
  }
  return true;
}

void append_zeros(std::uint64_t size, ChunkSink& sink) {
  static constexpr std::array<std::byte, 4096> kZeros{};
  for (; size > 0; size -= std::min<std::uint64_t>(size, kZeros.size())) {
    sink.append(ByteView(kZeros).first(std::min<std::uint64_t>(size, kZeros.size())));
  }
}

/// Calls on_run(box) for boxes that are consecutive in the C order of `box` and together all of it, each of at most
/// `element_count_max` elements (> 0).
template <class OnRun>
void for_each_run(const Box& box, std::uint64_t element_count_max, OnRun on_run) {
  std::size_t axes = 0;  // the outer axes that are walked; the inner ones are whole in each run
  std::uint64_t inner = box.extent.element_count();
  while (inner > element_count_max) inner /= box.extent[axes++];
  if (axes == 0) return on_run(box);
  const std::size_t split = axes - 1;
  const std::uint64_t step = std::max<std::uint64_t>(element_count_max / inner, 1);
  Box run = box;
  for (std::size_t axis = 0; axis < split; ++axis) run.extent[axis] = 1;
  while (true) {
    for (std::uint64_t at = 0; at < box.extent[split]; at += step) {
      run.offset[split] = box.offset[split] + at;
      run.extent[split] = std::min(step, box.extent[split] - at);
      on_run(run);
    }
    std::size_t axis = split;  // the next index of the outer axes, as an odometer counts
    while (axis > 0 && ++run.offset[axis - 1] == box.offset[axis - 1] + box.extent[axis - 1]) {
      run.offset[axis - 1] = box.offset[axis - 1];
      --axis;
    }
    if (axis == 0) return;
  }
}

/// Any chunk of any pieces: each run is put together in scratch memory.
void append_by_runs(const PlannedArray& array, const Box& chunk, ChunkSink& sink) {
  const std::uint64_t size = itemsize(array.dtype);
  std::vector<std::byte> scratch(std::min(kScratchBytes, array.chunk_bytes()));
  for_each_run(chunk, scratch.size() / size, [&](const Box& run) {
    const ByteSpan bytes = ByteSpan(scratch).first(run.extent.element_count() * size);
    std::ranges::fill(bytes, std::byte{0});
    const ArraySpan target = ArraySpan::contiguous(bytes.data(), array.dtype, run.extent);
    for (const ArrayPiece& piece : array.pieces) {
      const Box common = intersect(run, piece.box);
      if (common.empty()) continue;
      const ArrayView source = piece.view.sub(relative_to(common, piece.box.offset));
      const ArraySpan part = target.sub(relative_to(common, run.offset));
      if (source.dtype == array.dtype) {
        copy_array(source, part);
      } else {
        cast_array(source, part);
      }
    }
    storage::zarr::to_stored_bytes(bytes, array.dtype);
    sink.append(bytes);
  });
}

/// True if the elements can be written as they lie in memory.
bool is_stored_form(const ArrayView& view, DType stored) {
  if (view.dtype != stored) return false;
  return info(stored).bits >= 8 || (view.is_contiguous() && storage::zarr::are_stored_bytes(view.bytes(), stored));
}

}  // namespace

void append_chunk(const PlannedArray& array, std::uint64_t chunk, ChunkSink& sink) {
  if (array.chunk_count == 1 && array.pieces.size() == 1 && array.chunk_shape == array.shape && is_stored_form(array.pieces[0].view, array.dtype)) {
    return sink.append(array.pieces[0].view);  // most arrays, without any arithmetic
  }
  const Box whole = chunk_box(chunk_grid(array.shape, array.chunk_shape), array.chunk_shape, chunk);
  const Box inside = intersect(whole, Box::whole(array.shape));
  const auto piece = std::ranges::find_if(array.pieces, [&](const ArrayPiece& candidate) { return contains(candidate.box, inside); });
  if (piece == array.pieces.end() || !equal_but_axis_0(inside.extent, array.chunk_shape)) return append_by_runs(array, whole, sink);
  const ArrayView part = piece->view.sub(relative_to(inside, piece->box.offset));
  if (!is_stored_form(part, array.dtype)) return append_by_runs(array, whole, sink);
  sink.append(part);
  append_zeros(array.chunk_bytes() - inside.extent.element_count() * itemsize(array.dtype), sink);
}

}  // namespace perdure::checkpoint
