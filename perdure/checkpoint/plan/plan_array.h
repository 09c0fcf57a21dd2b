#pragma once
// How one array will be stored: its name in the store, chunk shape, codecs, and where its chunks lie in a data file.
#include <span>
#include <string>

#include "perdure/checkpoint/plan/save_plan.h"

namespace perdure::checkpoint {

/// `pieces` are borrowed; all of `options` counts. Throws kInvalid: pieces that are not the whole array, or not of its dtype; a name
/// that no store takes; a shard axis that is not there.
PlannedArray plan_array(std::string name, std::span<const ArrayPiece> pieces, const Shape& shape, DType dtype,
                        const ArraySaveOptions& options);

}  // namespace perdure::checkpoint
