#pragma once
// Array leaves from Python objects: NumPy arrays, and memory that an adapter describes. What comes back is in python_array.h.
//
// Memory is viewed, not copied. Owners are Python references that are dropped under the GIL, wherever the last copy of a leaf
// dies: so never let one die while a mutex of ours is held. All functions here need the GIL.
#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>

#include "perdure/base/leaf.h"

namespace perdure::python {

/// A reference to `object` that any thread may drop.
std::shared_ptr<const void> owner_of(nanobind::handle object);

/// `array` is a NumPy array: the leaf `source` itself, or what NumPy made of it. Throws kInputType "cannot save a 'ndarray' of dtype str32".
ArrayLeaf read_numpy(const nanobind::object& array, nanobind::handle source, std::string origin);

/// `described` is a perdure._src.adapters.protocol.HostArray of the leaf `source`; nullopt if its owner was to show the memory and
/// refuses. Throws kInputType if the memory is smaller than the array.
std::optional<ArrayLeaf> read_host_array(nanobind::handle described, nanobind::handle source);

/// Throws kInputType "cannot save a 'set'" + `why`.
[[noreturn]] void refuse_leaf(nanobind::handle leaf, const std::string& why);

}  // namespace perdure::python
