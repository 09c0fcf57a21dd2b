#pragma once
// A walk over two arrays of one shape, whatever their strides. Called by copies and casts.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace perdure {

/// Strides in bytes.
struct CopyAxis {
  std::int64_t extent;  // at least 1
  std::int64_t source_stride;
  std::int64_t target_stride;
};

/// Calls act(source, target) for each index of the axes (outermost first), which walk as an odometer counts.
template <class Act>
void for_each_index(const std::byte* source, std::byte* target, std::span<const CopyAxis> axes, Act act) {
  std::vector<std::int64_t> index(axes.size(), 0);
  for (;;) {
    act(source, target);
    std::size_t axis = axes.size();
    for (; axis > 0; --axis) {
      const CopyAxis& a = axes[axis - 1];
      source += a.source_stride;
      target += a.target_stride;
      if (++index[axis - 1] < a.extent) break;
      source -= a.extent * a.source_stride;
      target -= a.extent * a.target_stride;
      index[axis - 1] = 0;
    }
    if (axis == 0) return;
  }
}

}  // namespace perdure
