#include "perdure/tree/object/registry.h"

#include "perdure/base/immortal.h"

namespace perdure::tree {

ObjectRegistry& default_registry() {
  static auto& registry = make_immortal<ObjectRegistry>();  // outlives every static object that may use it
  return registry;
}

}  // namespace perdure::tree
