#pragma once
// Arrays that are a part of another array of the plan, or its transpose: they are stored once, as bytes of its values.
//
// A slice can be one only if its elements have no gaps: rows of a matrix, a parameter in a flat buffer, a transpose of either. It
// has no crc32c codec, for which there is no room in the other array: the item document covers it. The array that it lies in may
// be later in the plan. Arrays that merely overlap, columns, and every second row are stored by themselves.
#include <span>
#include <vector>

#include "perdure/checkpoint/plan/save_plan.h"

namespace perdure::checkpoint {

/// Sets slice_of with the metadata that goes with it, and cuts and is_joined of the others, before values are planned. For arrays
/// of one store; find_tied_arrays has run.
void find_slices(std::vector<PlannedArray>& arrays);

/// After cuts were added.
void sort_cuts(PlannedArray& array);

/// Where a chunk of a slice begins in the array that it lies in, in bytes.
std::uint64_t offset_in_base(const PlannedArray& slice, std::uint64_t chunk);

/// Cuts of the array behind the begin of a chunk and before its end; offsets into the bytes of the array.
std::span<const std::uint64_t> cuts_within(const PlannedArray& array, std::uint64_t chunk);

}  // namespace perdure::checkpoint
