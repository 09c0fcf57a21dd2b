#pragma once
// Orbax's files beside _METADATA as perdure writes them: shardings, and the kinds of random keys.
#include <string>
#include <vector>

#include "perdure/checkpoint/plan/save_plan.h"

namespace perdure::checkpoint {

/// _sharding: where the jax arrays lay. Orbax puts them there again when it is not told otherwise, and needs the same devices. Of
/// arrays of which nobody knows it: on the first CPU device.
std::string encode_shardings(const std::vector<PlannedArray>& arrays);

/// array_metadatas/process_0, with the kind of random keys.
std::string encode_array_metadatas(const SavePlan& plan);

}  // namespace perdure::checkpoint
