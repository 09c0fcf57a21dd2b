#include "perdure/tree/object/registry.h"

namespace perdure::tree {

ObjectRegistry& default_registry() {
  static ObjectRegistry& registry = *new ObjectRegistry;  // outlives every static object that may use it
  return registry;
}

}  // namespace perdure::tree
