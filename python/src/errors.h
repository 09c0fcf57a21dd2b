#pragma once
// perdure::Error as Python exceptions: each kind is a class of perdure.errors, notes become __notes__.
//
// An Error that leaves a bound function is translated without further ado. Code that hands an error over
// as a value (a background save that failed) uses error_object.
#include <nanobind/nanobind.h>

#include "perdure/base/error.h"

namespace perdure::python {

/// The exception object for `error`, ready to be raised. Call it with the GIL held.
nanobind::object error_object(const Error& error);

}  // namespace perdure::python
