#pragma once
// What an item must be before a save of it can be planned.
#include "perdure/checkpoint/save.h"

namespace perdure::checkpoint {

/// Throws kInvalid, with the key path: leaves or options that are not as many as the structure says, a key path that is there
/// twice, two key paths with one name, a tuple key that is nested too deeply.
void check_item(const NamedTree& item);

}  // namespace perdure::checkpoint
