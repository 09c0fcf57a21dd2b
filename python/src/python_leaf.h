#pragma once
// Leaves and keys between Python and the engine: plain values here, arrays in array_leaf.h, adapters.h and python_array.h. All
// functions here need the GIL.
#include <nanobind/nanobind.h>

#include "perdure/base/leaf.h"
#include "perdure/base/object.h"
#include "python/src/adapters.h"
#include "python/src/python_host.h"

namespace perdure::python {

/// The value of a leaf. Throws kInputType "cannot save 'set'".
Leaf read_leaf(nanobind::handle object, ObjectClass object_class, Adapters& adapters);

/// A mapping key. Throws kInputType for one that is not plain: str, int, bool, float, None, tuples of these
/// (kKeyDepthMax levels at most).
Key read_key(nanobind::handle key);
/// A mapping key of any type, as str() prints it.
Key key_by_str(nanobind::handle key);
nanobind::object key_object(const Key& key);

/// None, bool, int, float, complex, str or bytes.
nanobind::object leaf_object(const Scalar& scalar);

}  // namespace perdure::python
