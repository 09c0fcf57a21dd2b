#include "perdure/tree/object/assignments.h"

#include "perdure/base/error.h"
#include "perdure/tree/object/fit.h"

namespace perdure::tree {

bool Assignments::add(ObjectRef leaf, const Leaf& value, const Slot& holder) {
  const auto [first, is_new] = values_.emplace(leaf, value);
  if (!is_new && !is_same(first->second, value)) {
    throw Error(ErrorKind::kMismatch, "two values in the checkpoint for one object that is shared in the template");
  }
  staged_.push_back(holder.type->stage(holder.address, value));
  return staged_.back().lossy;
}

void Assignments::run() {
  for (const Staged& staged : staged_) staged.assign();
}

}  // namespace perdure::tree
