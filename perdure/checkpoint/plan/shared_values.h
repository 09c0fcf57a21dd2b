#pragma once
// Finds what a plan would write twice: leaves that are the same memory, and chunks with equal bytes.
//
// Chunks are compared in full before one stands for both; a fingerprint of a few samples only says which ones are worth it. The
// bytes that are written later are those of the first: a caller who changes arrays during a save has no promise about
// which state is stored, but each stored value is still one that its CRC covers.
#include "perdure/checkpoint/plan/save_plan.h"

namespace perdure::checkpoint {

inline constexpr std::uint64_t kSharedChunkBytesMin = 4096;

/// Sets tied_to of arrays, before values are planned.
void find_tied_arrays(std::vector<PlannedArray>& arrays);

/// Sets same_as of values that stay what they are until they are written; cuts of slices go to the values that are.
void find_equal_values(SavePlan& plan);

}  // namespace perdure::checkpoint
