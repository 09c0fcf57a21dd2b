#pragma once
// What a program has told about its types at run time: serializers, and which derived types a pointer to a base may point to.
#include <functional>

#include "perdure/tree/object/type.h"
#include "perdure/tree/object/types.h"
#include "perdure/tree/type_registry.h"
#include "perdure/tree/value.h"

namespace perdure::tree {

/// How objects of one type, and of types derived from it, are written and restored. Called by one thread for each save or load.
struct ObjectSerializer {
  /// The relative dict of an object. Empty: nothing is written, and the object stays as it is.
  std::function<Value(const void* object)> save;
  /// What the relative dict makes of an object that is `is_exact`ly of the registered type, or of one derived from it.
  std::function<Staged(void* object, bool is_exact, const Value& relative)> load;
};

/// Any thread may call any member.
class ObjectRegistry {
 public:
  ObjectTypes types;
  TypeRegistry<ObjectSerializer> serializers;
};

/// The one that is used when none is given. Process-wide.
ObjectRegistry& default_registry();

}  // namespace perdure::tree
