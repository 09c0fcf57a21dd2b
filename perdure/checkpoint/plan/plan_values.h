#pragma once
// The values of planned arrays: which are written, in which order, and which arrays share them.
#include "perdure/checkpoint/plan/save_plan.h"

namespace perdure::checkpoint {

/// Fills in what a plan has beside its leaves and arrays: values, orders, totals, what arrays share, and the ties of leaves. May
/// change the format and the chunks of arrays that are stored with others. `is_database`: in one store, where arrays can share
/// values.
void plan_values(SavePlan& plan, bool is_database);

}  // namespace perdure::checkpoint
