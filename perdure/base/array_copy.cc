// copy_array, gather_bytes and swap_byte_order of array_view.h.
#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "perdure/base/array_view.h"
#include "perdure/base/copy_plane.h"
#include "perdure/base/strided_walk.h"

namespace perdure {
namespace {

using Axis = CopyAxis;

/// A copy of `item_bytes` at each index of `axes` (outermost first).
struct CopyLoop {
  const std::byte* source;
  std::byte* target;
  std::size_t item_bytes;
  std::vector<Axis> axes;
};

/// True if there is something to copy. An axis that runs backwards in the target is turned round, so that it can be merged.
bool append_axes(const ArrayView& source, const ArraySpan& target, CopyLoop& loop) {
  for (std::size_t axis = 0; axis < source.shape.rank(); ++axis) {
    Axis a{static_cast<std::int64_t>(source.shape[axis]), source.strides[axis], target.strides[axis]};
    if (a.extent == 0) return false;
    if (a.extent == 1) continue;
    if (a.target_stride < 0) {
      loop.source += (a.extent - 1) * a.source_stride;
      loop.target += (a.extent - 1) * a.target_stride;
      a = {a.extent, -a.source_stride, -a.target_stride};
    }
    loop.axes.push_back(a);
  }
  return true;
}

void merge_axes(std::vector<Axis>& axes) {
  std::ranges::stable_sort(axes, std::ranges::greater{}, &Axis::target_stride);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < axes.size(); ++i) {
    Axis& outer = axes[kept];
    const Axis& inner = axes[i];
    if (outer.source_stride == inner.extent * inner.source_stride && outer.target_stride == inner.extent * inner.target_stride) {
      outer = {outer.extent * inner.extent, inner.source_stride, inner.target_stride};
    } else {
      axes[++kept] = inner;
    }
  }
  if (!axes.empty()) axes.resize(kept + 1);
}

/// Makes the innermost axis part of the item where it has no gaps.
void widen_item(CopyLoop& loop) {
  if (loop.axes.empty()) return;
  const auto item = static_cast<std::int64_t>(loop.item_bytes);
  const Axis& inner = loop.axes.back();
  if (inner.source_stride != item || inner.target_stride != item) return;
  loop.item_bytes *= static_cast<std::size_t>(inner.extent);
  loop.axes.pop_back();
}

using CopyRow = void (*)(const std::byte* source, std::byte* target, Axis row, std::size_t run_bytes);

template <std::size_t kItemBytes>
void copy_row(const std::byte* source, std::byte* target, Axis row, std::size_t) {
  for (std::int64_t i = 0; i < row.extent; ++i) {
    std::memcpy(target + i * row.target_stride, source + i * row.source_stride, kItemBytes);
  }
}

void copy_row_of_runs(const std::byte* source, std::byte* target, Axis row, std::size_t run_bytes) {
  for (std::int64_t i = 0; i < row.extent; ++i) {
    std::memcpy(target + i * row.target_stride, source + i * row.source_stride, run_bytes);
  }
}

CopyRow row_copier(std::size_t item_bytes) {
  switch (item_bytes) {
    case 1: return copy_row<1>;
    case 2: return copy_row<2>;
    case 4: return copy_row<4>;
    case 8: return copy_row<8>;
    case 16: return copy_row<16>;
    default: return copy_row_of_runs;
  }
}

/// Moves the axis whose elements are neighbours in the source next to the innermost. False if that is the innermost itself.
bool make_plane(std::vector<Axis>& axes) {
  constexpr std::int64_t kExtentMin = 4;  // of both axes; of thinner planes there is little to turn
  if (axes.size() < 2 || axes.back().extent < kExtentMin) return false;
  const auto closest = std::ranges::min_element(axes, {}, [](const Axis& axis) { return std::abs(axis.source_stride); });
  if (closest->extent < kExtentMin || std::abs(closest->source_stride) >= std::abs(axes.back().source_stride)) return false;
  std::rotate(closest, closest + 1, axes.end() - 1);
  return true;
}

void run(CopyLoop& loop) {
  if (loop.axes.empty()) {
    std::memcpy(loop.target, loop.source, loop.item_bytes);
    return;
  }
  const Axis inner = loop.axes.back();
  const PlaneCopier copy_plane = find_plane_copier(loop.item_bytes);
  const std::span<const Axis> axes(loop.axes);
  if (copy_plane != nullptr && make_plane(loop.axes)) {
    const Axis outer = axes[axes.size() - 2];
    const auto copy = [&](const std::byte* source, std::byte* target) { copy_plane(source, target, outer, inner); };
    for_each_index(loop.source, loop.target, axes.first(axes.size() - 2), copy);
  } else {
    const CopyRow copy_row = row_copier(loop.item_bytes);
    const auto copy = [&](const std::byte* source, std::byte* target) { copy_row(source, target, inner, loop.item_bytes); };
    for_each_index(loop.source, loop.target, axes.first(axes.size() - 1), copy);
  }
}

ArrayView leading_block(const ArrayView& source, std::uint64_t first, std::uint64_t count_max) {
  return source.sub(leading_box(source.shape, first, count_max));
}

/// Copies the end of an element that begins before the range, or the beginning of one that ends behind it.
void gather_part(const ArrayView& source, std::uint64_t element, std::size_t offset, ByteSpan target) {
  const ArrayView item = leading_block(source, element, 1);
  std::memcpy(target.data(), item.data + offset, target.size());
}

template <std::size_t kSize>
void reverse_each(ByteSpan elements) {
  for (std::size_t i = 0; i + kSize <= elements.size(); i += kSize) std::reverse(&elements[i], &elements[i] + kSize);
}

}  // namespace

void copy_array(const ArrayView& source, const ArraySpan& target) {
  assert(source.shape == target.shape && itemsize(source.dtype) == itemsize(target.dtype));
  CopyLoop loop{source.data, target.data, itemsize(source.dtype), {}};
  if (!append_axes(source, target, loop)) return;
  merge_axes(loop.axes);
  widen_item(loop);
  run(loop);
}

void gather_bytes(const ArrayView& source, std::uint64_t offset_bytes, ByteSpan target) {
  if (target.empty()) return;
  const std::size_t item = itemsize(source.dtype);
  std::uint64_t element = offset_bytes / item;
  if (const std::size_t skipped = offset_bytes % item; skipped != 0) {
    const std::size_t size = std::min(target.size(), item - skipped);
    gather_part(source, element++, skipped, target.first(size));
    target = target.subspan(size);
  }
  while (target.size() >= item) {
    const ArrayView block = leading_block(source, element, target.size() / item);
    const ArraySpan to = ArraySpan::contiguous(target.data(), source.dtype, block.shape);
    copy_array(block, to);
    const std::uint64_t count = block.shape.element_count();
    element += count;
    target = target.subspan(count * item);
  }
  if (!target.empty()) gather_part(source, element, 0, target);
}

void swap_byte_order(ByteSpan elements, DType dtype) {
  const DTypeInfo& row = info(dtype);
  switch (row.kind == DTypeKind::kComplex ? row.itemsize / 2 : row.itemsize) {
    case 2: return reverse_each<2>(elements);
    case 4: return reverse_each<4>(elements);
    case 8: return reverse_each<8>(elements);
    default: return;
  }
}

}  // namespace perdure
