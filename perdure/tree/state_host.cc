#include "perdure/tree/state_host.h"

namespace perdure::tree {

LeafRole role_of(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::kNone:
    case ScalarKind::kBool:
    case ScalarKind::kInt:
    case ScalarKind::kFloat:
    case ScalarKind::kText:
    case ScalarKind::kHandled: return LeafRole::kPlain;
    case ScalarKind::kComplex:
    case ScalarKind::kBytes: return LeafRole::kUnknown;
  }
  return LeafRole::kUnknown;
}

LeafRole role_of(const Leaf& leaf) {
  const auto* scalar = std::get_if<Scalar>(&leaf);
  return scalar == nullptr ? LeafRole::kArray : role_of(kind_of(*scalar));
}

}  // namespace perdure::tree
