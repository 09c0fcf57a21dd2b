#include "perdure/checkpoint/plan/plan_values.h"

#include <algorithm>
#include <numeric>

#include "perdure/checkpoint/plan/shared_values.h"
#include "perdure/checkpoint/plan/slices.h"

namespace perdure::checkpoint {
namespace {

/// For the item document.
void tie_leaves(SavePlan& plan, const PlannedArray& array, const PlannedArray& first) {
  auto* leaf = std::get_if<StoredArrayRef>(&plan.leaves[array.leaf_index]);
  if (leaf && std::holds_alternative<StoredArrayRef>(plan.leaves[first.leaf_index])) leaf->tied_to = first.leaf_index;
}

/// A directory holds one array: without a database each is written by itself.
void settle_ties(SavePlan& plan, bool is_database) {
  for (PlannedArray& array : plan.arrays) {
    if (!array.sharing.tied_to) continue;
    PlannedArray& first = plan.arrays[*array.sharing.tied_to];
    tie_leaves(plan, array, first);
    if (is_database) {
      first.serve_also(array);
    } else {
      array.sharing.tied_to.reset();
    }
  }
}

void add_values(SavePlan& plan, std::size_t index) {
  PlannedArray& array = plan.arrays[index];
  if (array.sharing.tied_to) {
    const PlannedArray& first = plan.arrays[*array.sharing.tied_to];
    array.format = first.format;
    array.metadata = first.metadata;
    array.chunk_count = first.chunk_count;
    array.first_value = first.first_value;
    return;
  }
  array.first_value = plan.values.size();
  for (std::uint64_t chunk = 0; chunk < array.chunk_count; ++chunk) plan.values.push_back({index, chunk, {}});
}

void choose_order(SavePlan& plan) {
  plan.array_order.resize(plan.arrays.size());
  std::iota(plan.array_order.begin(), plan.array_order.end(), std::size_t{0});
  std::ranges::stable_sort(plan.array_order, {}, [&](std::size_t index) {
    const PlannedArray& array = plan.arrays[index];
    return std::pair(array.priority, array.placement);
  });
  plan.order.reserve(plan.values.size());
  for (const std::size_t index : plan.array_order) {
    const PlannedArray& array = plan.arrays[index];
    if (!array.is_written()) continue;
    for (std::size_t value = array.first_value; value < array.first_value + array.chunk_count; ++value) {
      if (!plan.values[value].same_as) plan.order.push_back(value);
    }
  }
}

void count_bytes(SavePlan& plan) {
  std::uint64_t all_bytes = 0;
  for (const PlannedArray& array : plan.arrays) all_bytes += array.chunk_count * array.chunk_bytes();
  for (const std::size_t value : plan.order) plan.array_bytes += plan.arrays[plan.values[value].array].chunk_bytes();
  plan.shared_bytes = all_bytes - plan.array_bytes;
}

}  // namespace

void plan_values(SavePlan& plan, bool is_database) {
  find_tied_arrays(plan.arrays);
  settle_ties(plan, is_database);
  if (is_database) find_slices(plan.arrays);
  for (std::size_t i = 0; i < plan.arrays.size(); ++i) add_values(plan, i);
  if (is_database) find_equal_values(plan);
  choose_order(plan);
  count_bytes(plan);
}

}  // namespace perdure::checkpoint
