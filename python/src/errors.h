#pragma once
// perdure::Error as Python exceptions: each kind is a class of perdure.errors, notes become __notes__.
//
// An Error that leaves a bound function is translated without further ado. Code that hands an error over
// as a value (a background save that failed) uses error_object.
#include <nanobind/nanobind.h>

#include <exception>
#include <utility>

#include "perdure/base/error.h"

namespace perdure::python {

/// The exception object for `error`, ready to be raised. Call it with the GIL held.
nanobind::object error_object(const Error& error);

/// Throws the C++ error of which `raised` is the Python form, if it is one; the layers above then add where it happened.
void throw_if_ours(nanobind::python_error& raised);

/// Whether `error` tells something about what was asked for: Ctrl-C, another exception that is no Exception, and a lack of memory do not.
bool is_refusal(const std::exception& error);

/// Runs `body`, which calls Python code.
template <class Body>
decltype(auto) with_our_errors(Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (nanobind::python_error& raised) {
    throw_if_ours(raised);
    throw;
  }
}

}  // namespace perdure::python
