#pragma once
// Leaves and keys between Python and the engine: plain values, NumPy arrays, and what perdure._src.adapters describes. Arrays
// come back in python_array.h.
//
// Memory is viewed, not copied. Owners are Python references that are dropped under the GIL, wherever the last copy of a leaf
// dies: so never let one die while a mutex of ours is held. All functions here need the GIL.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>

#include "perdure/base/bytes.h"
#include "perdure/base/leaf.h"
#include "perdure/base/object.h"
#include "python/src/python_array.h"
#include "python/src/python_host.h"

namespace perdure::python {

/// A reference to `object` that any thread may drop.
std::shared_ptr<const void> owner_of(nanobind::handle object);

/// The value of a leaf. Throws kInputType "cannot save 'set'".
Leaf read_leaf(nanobind::handle object, ObjectClass object_class);

/// A mapping key. Throws kInputType for one that is not plain: str, int, bool, float, None, tuples of these
/// (kKeyDepthMax levels at most).
Key read_key(nanobind::handle key);
nanobind::object key_object(const Key& key);

/// None, bool, int, float, complex, str or bytes.
nanobind::object leaf_object(const Scalar& scalar);

}  // namespace perdure::python
