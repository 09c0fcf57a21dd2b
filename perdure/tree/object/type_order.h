#pragma once
// A described type and its bases in the order in which Python would look at them (C3).
#include <vector>

#include "perdure/tree/object/type.h"

namespace perdure::tree {

struct OrderedBase {
  const ObjectType* type = nullptr;
  std::vector<void* (*)(void*)> upcasts;  // from the derived type, one after the other

  void* part_of(void* object) const {
    for (const auto upcast : upcasts) object = upcast(object);
    return object;
  }
};

/// The type itself, then its bases, nearest first. Throws kInvalid when the declared bases have no consistent order.
std::vector<OrderedBase> type_order(const ObjectType& type);

}  // namespace perdure::tree
