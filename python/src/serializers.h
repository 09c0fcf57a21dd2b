#pragma once
// Python classes that say themselves what their state is: perdure.tree.register_serializer. Needs the GIL.
#include <nanobind/nanobind.h>

#include <memory>

#include "perdure/tree/type_registry.h"

namespace perdure::python {

struct PythonSerializer {
  nanobind::object save;  // (object) -> relative dict
  nanobind::object load;  // (template, relative dict) -> object
  // For a class whose state is one value at the slot itself: the same without a dict. Else both are null.
  nanobind::object copy_leaf;     // (object) -> value
  nanobind::object restore_leaf;  // (template, value, copy) -> object

  bool is_leaf() const { return copy_leaf.is_valid(); }
};

using FoundSerializer = tree::TypeRegistry<PythonSerializer>::Found;

tree::TypeRegistry<PythonSerializer>& serializers();

/// The serializer of the class or of the nearest class in its __mro__; null if there is none. What perdure registers for a
/// library is registered when the first class of that library is asked for.
FoundSerializer resolve_serializer(nanobind::handle type);

/// What `save` makes of the object. Throws kInputType if that is no mapping.
nanobind::object relative_dict(const PythonSerializer& serializer, nanobind::handle object);

}  // namespace perdure::python
