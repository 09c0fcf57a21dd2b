#include "perdure/storage/zarr/box_runs.h"

namespace perdure::storage::zarr {

BoxRuns::BoxRuns(const Shape& chunk_shape, const Box& box, const ArraySpan& target)
    : target_(target.data), run_bytes_(itemsize(target.dtype)), at_end_(box.empty()) {
  const Strides chunk_strides = contiguous_strides(chunk_shape, run_bytes_);
  std::size_t outer = box.extent.rank();
  bool whole_below = true;
  while (outer > 0 && whole_below) {
    const std::size_t axis = outer - 1;
    const std::uint64_t extent = box.extent[axis];
    if (extent != 1 && target.strides[axis] != static_cast<std::int64_t>(run_bytes_)) break;
    run_bytes_ *= extent;
    whole_below = extent == chunk_shape[axis];
    outer = axis;
  }
  for (std::size_t axis = 0; axis < box.extent.rank(); ++axis) {
    offset_bytes_ += box.offset[axis] * static_cast<std::uint64_t>(chunk_strides[axis]);
    if (axis >= outer) continue;
    extents_.push_back(box.extent[axis]);
    chunk_strides_.push_back(static_cast<std::uint64_t>(chunk_strides[axis]));
    target_strides_.push_back(target.strides[axis]);
  }
  index_.resize(extents_.size());
}

bool BoxRuns::next(BoxRun& run) {
  if (at_end_) return false;
  run = {offset_bytes_, ByteSpan(target_, run_bytes_)};
  at_end_ = true;
  for (std::size_t axis = extents_.size(); axis-- > 0;) {
    if (++index_[axis] < extents_[axis]) {
      offset_bytes_ += chunk_strides_[axis];
      target_ += target_strides_[axis];
      at_end_ = false;
      break;
    }
    index_[axis] = 0;
    offset_bytes_ -= chunk_strides_[axis] * (extents_[axis] - 1);
    target_ -= target_strides_[axis] * static_cast<std::int64_t>(extents_[axis] - 1);
  }
  return true;
}

}  // namespace perdure::storage::zarr
