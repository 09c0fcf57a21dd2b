#include "perdure/checkpoint/plan/slices.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <tuple>

#include "perdure/checkpoint/plan/chunk_shape.h"
#include "perdure/storage/zarr/chunk_grid.h"
#include "perdure/storage/zarr/metadata.h"

namespace perdure::checkpoint {
namespace {

constexpr std::uint64_t kSliceChunkBytesMax = 1 << 30;  // of a slice that cannot be cut evenly

/// The memory of an array without gaps.
struct Extent {
  std::uintptr_t begin = 0;  // addresses
  std::uintptr_t end = 0;
  std::size_t array = 0;
  bool is_c_order = true;
};

/// Elements of the same memory are stored as the same bytes.
bool have_equal_bytes(DType a, DType b) { return a == b || (!has_unused_bits(a) && !has_unused_bits(b)); }

/// How Zarr can say in which order the axes lie in memory: empty for C order. nullopt: there are gaps, or no word for it.
std::optional<std::vector<std::size_t>> zarr_axis_order(const ArrayView& view, int zarr_format) {
  std::optional<std::vector<std::size_t>> order = view.axis_order();
  if (!order) return std::nullopt;
  std::vector<std::size_t> long_axes = *order;  // those with one element may stand anywhere
  std::erase_if(long_axes, [&](std::size_t axis) { return view.shape[axis] == 1; });
  if (std::ranges::is_sorted(long_axes)) return std::vector<std::size_t>();
  if (zarr_format == 3) return order;
  if (!std::ranges::is_sorted(long_axes, std::greater())) return std::nullopt;
  std::iota(order->rbegin(), order->rend(), std::size_t{0});
  return order;
}

/// If its stored bytes can be those in memory, in some order of axes.
std::optional<Extent> find_extent(const std::vector<PlannedArray>& arrays, std::size_t index) {
  const PlannedArray& array = arrays[index];
  if (array.sharing.tied_to || array.chunk_count == 0 || array.pieces.size() != 1 || array.format.compression)
    return std::nullopt;
  if (array.placement == Placement::kInline || array.part) return std::nullopt;  // parts of handled leaves are in no document
  const ArrayView& view = array.pieces[0].view;
  if (view.dtype != array.metadata.dtype) return std::nullopt;
  const bool is_c_order = view.is_contiguous();
  if (!is_c_order && !view.axis_order()) return std::nullopt;
  const auto begin = reinterpret_cast<std::uintptr_t>(view.data);
  return Extent{begin, begin + view.size_bytes(), index, is_c_order};
}

bool has_padding(const Shape& shape, const Shape& chunk) {
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] % chunk[axis] != 0) return true;
  }
  return false;
}

/// The chunks of a C-ordered array follow each other in its memory. Only the last may have padding.
bool is_cut_in_order(const Shape& shape, const Shape& chunk) {
  if (!storage::zarr::find_run(Box::whole(chunk), shape)) return false;
  bool has_several_rows = false;  // each of several chunks
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) has_several_rows |= chunk[axis] == 1 && shape[axis] > 1;
  return !has_several_rows || !has_padding(shape, chunk);
}

/// Chunks of a slice that each are one run of memory without padding: as planned; or about as large, along the outermost axis in
/// memory; or all in one. nullopt if there are none.
std::optional<Shape> slice_chunk_shape(const PlannedArray& array, std::span<const std::size_t> axis_order) {
  const Shape& shape = array.metadata.shape;
  const Shape& planned = array.metadata.chunk_shape;
  const bool is_in_order = axis_order.empty() && is_cut_in_order(shape, planned) && !has_padding(shape, planned);
  if (planned == shape || is_in_order) return planned;
  if (array.has_chosen_chunks || array.is_jax) return std::nullopt;
  const auto axis_at = [&](std::size_t place) { return axis_order.empty() ? place : axis_order[place]; };
  std::size_t place = 0;
  while (shape[axis_at(place)] == 1) ++place;
  const std::size_t outer = axis_at(place);
  Shape chunk = shape;
  chunk[outer] = 1;
  const std::uint64_t row_bytes = chunk.element_count() * itemsize(array.metadata.dtype);
  const std::uint64_t rows = divide_evenly(shape[outer], std::max<std::uint64_t>(array.chunk_bytes() / row_bytes, 1));
  if (rows == 0 && shape[outer] * row_bytes > kSliceChunkBytesMax) return std::nullopt;
  chunk[outer] = rows == 0 ? shape[outer] : rows;
  return chunk;
}

void set_format(PlannedArray& array, const Shape& chunk_shape, storage::zarr::WriteFormat format) {
  array.format = std::move(format);
  array.metadata = storage::zarr::make_metadata(array.metadata.dtype, array.metadata.shape, chunk_shape, array.format);
  array.chunk_count = array.metadata.grid().element_count();
}

/// Cuts are not sorted yet.
void make_slice(PlannedArray& array, const Extent& extent, PlannedArray& base, const Extent& base_extent) {
  if (!have_equal_bytes(array.metadata.dtype, base.metadata.dtype)) return;
  std::optional<std::vector<std::size_t>> axis_order = zarr_axis_order(array.pieces[0].view, array.format.zarr_format);
  if (!axis_order) return;
  const std::optional<Shape> chunk_shape = slice_chunk_shape(array, *axis_order);
  if (!chunk_shape) return;
  storage::zarr::WriteFormat format = array.format;
  format.crc32c = false;
  format.axis_order = std::move(*axis_order);
  set_format(array, *chunk_shape, std::move(format));
  array.sharing.slice_of = SliceOf{base_extent.array, extent.begin - base_extent.begin};
  base.serve_also(array);
  for (std::uint64_t chunk = 0; chunk < array.chunk_count; ++chunk) {
    const std::uint64_t begin = offset_in_base(array, chunk);
    const std::uint64_t end = begin + array.chunk_bytes();
    base.sharing.cuts.insert(base.sharing.cuts.end(), {begin, end});
    base.sharing.is_joined |= begin / base.chunk_bytes() != (end - 1) / base.chunk_bytes();
  }
}

void finish_base(PlannedArray& base) {
  if (base.sharing.cuts.empty()) return;
  sort_cuts(base);
  if (!base.sharing.is_joined) return;
  storage::zarr::WriteFormat format = base.format;
  format.crc32c = false;
  set_format(base, base.metadata.chunk_shape, std::move(format));
}

}  // namespace

void find_slices(std::vector<PlannedArray>& arrays) {
  std::vector<Extent> extents;
  extents.reserve(arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (auto extent = find_extent(arrays, i)) extents.push_back(*extent);
  }
  // An array that lies within any one before it lies within the one of those that reaches farthest.
  std::ranges::sort(extents, [](const Extent& a, const Extent& b) {
    return std::tuple(a.begin, b.end, !a.is_c_order, a.array) < std::tuple(b.begin, a.end, !b.is_c_order, b.array);
  });
  const Extent* base = nullptr;
  for (const Extent& extent : extents) {
    PlannedArray& array = arrays[extent.array];
    if (base != nullptr && extent.end <= base->end) {
      make_slice(array, extent, arrays[base->array], *base);
    } else if (extent.is_c_order && is_cut_in_order(array.metadata.shape, array.metadata.chunk_shape)) {
      base = &extent;
    }
  }
  std::ranges::for_each(arrays, finish_base);
}

void sort_cuts(PlannedArray& array) {
  std::vector<std::uint64_t>& cuts = array.sharing.cuts;
  std::ranges::sort(cuts);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
}

std::uint64_t offset_in_base(const PlannedArray& slice, std::uint64_t chunk) {
  return slice.sharing.slice_of->offset_bytes + chunk * slice.chunk_bytes();
}

std::span<const std::uint64_t> cuts_within(const PlannedArray& array, std::uint64_t chunk) {
  const std::uint64_t begin = chunk * array.chunk_bytes();
  const auto first = std::ranges::upper_bound(array.sharing.cuts, begin);
  return {first, std::ranges::lower_bound(first, array.sharing.cuts.end(), begin + array.chunk_bytes())};
}

}  // namespace perdure::checkpoint
