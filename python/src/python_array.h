#pragma once
// NumPy arrays over memory of the engine, without a copy and without NumPy's C interface. All of it needs the GIL.
#include <nanobind/nanobind.h>

#include <memory>
#include <optional>

#include "perdure/base/bytes.h"
#include "perdure/base/dtype.h"
#include "perdure/base/shape.h"

namespace perdure::python {

/// The numpy.dtype of NumPy or ml_dtypes. Throws kInvalid naming it when ml_dtypes is too old to have it.
nanobind::handle numpy_dtype(DType dtype);
/// The way back, for a numpy.dtype; nullopt for one that perdure does not have. Most arrays share a few dtype objects, whose names are
/// slow to ask for: they are remembered.
std::optional<DType> find_dtype_of(nanobind::handle numpy_dtype);

/// An array of `shape` in C order over memory that `owner` keeps alive.
nanobind::object numpy_array(DType dtype, const Shape& shape, ByteSpan memory, std::shared_ptr<const void> owner, bool writable);

/// Adds the class that holds the memory of such arrays.
void bind_memory(nanobind::module_& m);

}  // namespace perdure::python
