#pragma once
// Python's plain types: the classes whose values are plain values of the engine. One table for all who ask: leaves, mapping keys,
// templates, the flat dict, recipes.
//
// To add one: a kind of plain value in base/scalar.h; its row and its case of ToObject in plain_type.cc. All of it needs the GIL.
#include <nanobind/nanobind.h>

#include "perdure/base/object.h"
#include "perdure/base/scalar.h"

namespace perdure::python {

struct PlainType {
  PyTypeObject* type;
  ScalarKind kind;
  Scalar (*read)(nanobind::handle object);
};

/// The row of exactly this class; nullptr for any other object.
const PlainType* find_plain_type(nanobind::handle type);
/// The row of the class or of a base: an IntEnum is an int, a np.float64 a float.
const PlainType* find_plain_base(nanobind::handle type);

/// None, bool, int, float, complex, str or bytes. Throws kNoHandler for a value of a handler.
nanobind::object leaf_object(const Scalar& scalar);
/// The same, or a tuple.
nanobind::object key_object(const Key& key);

}  // namespace perdure::python
