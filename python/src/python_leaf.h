#pragma once
// Leaves and keys as the engine takes them: plain values by plain_type.h, which gives them back too; arrays by array_leaf.h and
// adapters.h, which python_array.h gives back. All functions here need the GIL.
#include <nanobind/nanobind.h>

#include "perdure/base/leaf.h"
#include "perdure/base/object.h"
#include "python/src/adapters.h"
#include "python/src/plain_type.h"
#include "python/src/python_host.h"

namespace perdure::python {

/// The value of a leaf. Throws kInputType "cannot save 'set'".
Leaf read_leaf(nanobind::handle object, ObjectClass object_class, Adapters& adapters);

/// A mapping key. Throws kInputType for one that is not plain: str, int, bool, float, None, tuples of these
/// (kKeyDepthMax levels at most).
Key read_key(nanobind::handle key);
/// A mapping key of any type, as str() prints it.
Key key_by_str(nanobind::handle key);

}  // namespace perdure::python
