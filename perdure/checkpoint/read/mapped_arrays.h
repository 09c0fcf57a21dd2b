#pragma once
// Arrays whose stored bytes are their elements: shown to the caller in private mappings of the data files instead of copies.
#include <vector>

#include "perdure/base/file_system.h"
#include "perdure/checkpoint/read/read_plan.h"

namespace perdure::checkpoint {

/// For each planned array where its elements are mapped; no bytes where it has to be read. Chunks of mapped arrays get their
/// stored bytes as `location.inline_value`, for the checksums. Two arrays never share memory, also where they share a value.
/// `candidates`: arrays that may be mapped at all (no cast, memory not given by the caller).
std::vector<Blob> map_arrays(ReadPlan& plan, const std::vector<bool>& candidates, FileSystem& fs);

}  // namespace perdure::checkpoint
