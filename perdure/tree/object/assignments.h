#pragma once
// Restored values that wait for all others to fit, so that an object is never half restored.
#include <unordered_map>
#include <vector>

#include "perdure/base/object.h"
#include "perdure/tree/object/type.h"

namespace perdure::tree {

/// For one thread. Borrows the objects.
class Assignments {
 public:
  /// Makes `value` fit the leaf, which `holder` holds. True if it had to change to fit. Throws kMismatch if it cannot; also for a
  /// second value of one leaf, reached by two key paths, that differs from the first.
  bool add(ObjectRef leaf, const Leaf& value, const Slot& holder);
  void add(Staged staged) { staged_.push_back(std::move(staged)); }
  /// Puts all of them into their places. Does not throw.
  void run();

 private:
  std::vector<Staged> staged_;
  std::unordered_map<ObjectRef, Leaf> values_;
};

}  // namespace perdure::tree
