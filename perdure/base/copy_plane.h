#pragma once
// Copies of planes whose neighbours in the source are not neighbours in the target: transposes. Called by copy_array.
//
// Element by element such a copy reads a cache line for each element. Here a tile is read in whole lines, turned in registers, and
// written in whole lines.
#include <cstddef>

#include "perdure/base/strided_walk.h"

namespace perdure {

/// `outer`: the axis of the least stride in the source; `inner`: that of the least stride in the target. No stride is 0, and source and
/// target do not overlap.
using PlaneCopier = void (*)(const std::byte* source, std::byte* target, const CopyAxis& outer, const CopyAxis& inner);

/// For elements of 1, 2, 4, 8 or 16 bytes; nullptr for others.
PlaneCopier find_plane_copier(std::size_t item_bytes);

}  // namespace perdure
