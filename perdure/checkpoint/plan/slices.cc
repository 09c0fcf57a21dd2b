#include "perdure/checkpoint/plan/slices.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <tuple>

#include "perdure/storage/zarr/metadata.h"

namespace perdure::checkpoint {
namespace {

/// The memory of an array without gaps.
struct Extent {
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
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
  return Extent{view.data, view.data + view.size_bytes(), index, is_c_order};
}

/// The chunks of a C-ordered array follow each other in its memory. Only the last may have padding.
bool is_cut_in_order(const Shape& shape, const Shape& chunk) {
  std::size_t axis = 0;
  while (axis < shape.rank() && chunk[axis] == 1) ++axis;
  for (std::size_t inner = axis + 1; inner < shape.rank(); ++inner) {
    if (chunk[inner] != shape[inner]) return false;
  }
  return axis == 0 || axis == shape.rank() || shape[axis] % chunk[axis] == 0;
}

bool has_padding(const Shape& shape, const Shape& chunk) {
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] % chunk[axis] != 0) return true;
  }
  return false;
}

/// The chunks of a slice, of which each is one run of memory without padding. nullopt if it has others that must stay.
std::optional<Shape> slice_chunk_shape(const PlannedArray& array, const Extent& extent) {
  const Shape& shape = array.metadata.shape;
  const Shape& chunk = array.metadata.chunk_shape;
  const bool is_in_order = extent.is_c_order && is_cut_in_order(shape, chunk);
  if (chunk == shape || (is_in_order && !has_padding(shape, chunk))) return chunk;
  if (array.has_chosen_chunks || array.is_jax) return std::nullopt;
  return shape;
}

void set_format(PlannedArray& array, const Shape& chunk_shape, storage::zarr::WriteFormat format) {
  array.format = std::move(format);
  array.metadata = storage::zarr::make_metadata(array.metadata.dtype, array.metadata.shape, chunk_shape, array.format);
  array.chunk_count = array.metadata.grid().element_count();
}

/// Cuts are not sorted yet.
void make_slice(PlannedArray& array, const Extent& extent, PlannedArray& base, const Extent& base_extent) {
  if (!have_equal_bytes(array.metadata.dtype, base.metadata.dtype)) return;
  const std::optional<Shape> chunk_shape = slice_chunk_shape(array, extent);
  std::optional<std::vector<std::size_t>> axis_order = zarr_axis_order(array.pieces[0].view, array.format.zarr_format);
  if (!chunk_shape || !axis_order) return;
  storage::zarr::WriteFormat format = array.format;
  format.crc32c = false;
  format.axis_order = std::move(*axis_order);
  set_format(array, *chunk_shape, std::move(format));
  array.sharing.slice_of = SliceOf{base_extent.array, static_cast<std::uint64_t>(extent.begin - base_extent.begin)};
  base.priority = std::min(base.priority, array.priority);  // one copy serves both
  for (std::uint64_t chunk = 0; chunk < array.chunk_count; ++chunk) {
    const std::uint64_t begin = offset_in_base(array, chunk);
    const std::uint64_t end = begin + array.chunk_bytes();
    base.sharing.cuts.insert(base.sharing.cuts.end(), {begin, end});
    base.sharing.is_joined |= begin / base.chunk_bytes() != (end - 1) / base.chunk_bytes();
  }
}

void finish_base(PlannedArray& base) {
  if (base.sharing.cuts.empty()) return;
  std::ranges::sort(base.sharing.cuts);
  base.sharing.cuts.erase(std::ranges::unique(base.sharing.cuts).begin(), base.sharing.cuts.end());
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
    if (auto extent = find_extent(arrays, i)) extents.push_back(std::move(*extent));
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

std::uint64_t offset_in_base(const PlannedArray& slice, std::uint64_t chunk) {
  return slice.sharing.slice_of->offset_bytes + chunk * slice.chunk_bytes();
}

std::span<const std::uint64_t> cuts_within(const PlannedArray& array, std::uint64_t chunk) {
  const std::uint64_t begin = chunk * array.chunk_bytes();
  const auto first = std::ranges::upper_bound(array.sharing.cuts, begin);
  return {first, std::ranges::lower_bound(first, array.sharing.cuts.end(), begin + array.chunk_bytes())};
}

}  // namespace perdure::checkpoint
