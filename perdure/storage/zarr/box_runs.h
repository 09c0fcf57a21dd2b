#pragma once
// A box of a C-ordered chunk as runs: bytes that are neighbours in the chunk and in the target.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "perdure/base/array_view.h"

namespace perdure::storage::zarr {

struct BoxRun {
  std::uint64_t offset_bytes = 0;  // in the chunk
  ByteSpan target;
};

/// Hands out the runs of a box in the order of the chunk. Borrows the target's memory.
class BoxRuns {
 public:
  /// target.shape is box.extent, the box lies in a chunk of `chunk_shape`. The runs are as long as both layouts allow.
  BoxRuns(const Shape& chunk_shape, const Box& box, const ArraySpan& target);

  /// False after the last run.
  bool next(BoxRun& run);

 private:
  std::vector<std::uint64_t> extents_;        // of the axes outside a run
  std::vector<std::uint64_t> index_;          // of the run at hand
  std::vector<std::uint64_t> chunk_strides_;  // bytes
  std::vector<std::int64_t> target_strides_;  // bytes
  std::uint64_t offset_bytes_ = 0;
  std::byte* target_;
  std::size_t run_bytes_;
  bool at_end_;
};

}  // namespace perdure::storage::zarr
