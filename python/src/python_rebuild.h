#pragma once
// Containers made of children: plain ones, and ones like a template's: same class, same keys. The original stays untouched. Needs
// the GIL.
#include <nanobind/nanobind.h>

#include <span>

#include "perdure/base/object.h"

namespace perdure::python {

struct NewChild {
  nanobind::object key;  // of a mapping: the key; of a dataclass: the name of the field; else not looked at
  nanobind::object object;
};

nanobind::object list_of(std::span<NewChild> children);
nanobind::object tuple_of(std::span<NewChild> children);
nanobind::object dict_of(std::span<const NewChild> children);

/// A container like `original`. Objects of classes that are more than a plain dict, list or tuple are copied first, so that
/// what the class adds (default_factory, attributes that are no fields) is there, and no constructor runs. The children may be
/// moved from.
nanobind::object object_like(nanobind::handle original, NodeKind kind, std::span<NewChild> children);

/// A dataclass instance made by its constructor, so that __post_init__ runs; fields that the constructor does not take are set after
/// it. `parameters`: what the constructor takes; one that is no child has the original's value. None: object_like.
nanobind::object constructed_like(nanobind::handle original, nanobind::handle parameters, std::span<NewChild> children);

}  // namespace perdure::python
