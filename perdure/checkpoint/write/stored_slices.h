#pragma once
// Where slices (plan/slices.h) are stored: within the values of the arrays that they lie in.
#include <vector>

#include "perdure/checkpoint/plan/save_plan.h"
#include "perdure/checkpoint/write/value_writer.h"

namespace perdure::checkpoint {

/// Fills in the values of slices, when all others are written. `stored` as many as plan.values.
void find_stored_slices(const SavePlan& plan, std::vector<StoredValue>& stored);

}  // namespace perdure::checkpoint
