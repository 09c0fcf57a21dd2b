#pragma once
// Python numbers that Orbax stores as arrays of rank 0.
#include "perdure/base/array_view.h"
#include "perdure/base/leaf.h"

namespace perdure::checkpoint {

/// bool, integer, float or complex by dtype, of any width. Throws kCorrupt for an array of rank > 0.
Scalar scalar_from_array(const ArrayView& array);

}  // namespace perdure::checkpoint
