#pragma once
// Small conversions that every binding file needs.
#include <cxxabi.h>
#include <nanobind/nanobind.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

#include "perdure/base/shape.h"

namespace perdure::python {

/// Calls what takes the GIL. Once the program has ended Python does not give it to daemon threads any more: before 3.14 it unwinds
/// them, which ends in std::terminate when it comes to a destructor. They stop here instead.
template <class Take>
auto take_gil(Take&& take) noexcept {
  try {
    return std::forward<Take>(take)();
  } catch (const abi::__forced_unwind&) {
    for (;;) pause();
  }
}

/// The thread has the GIL while this lives; any thread may.
class GilAcquire {
 public:
  GilAcquire() : state_(take_gil(PyGILState_Ensure)) {}
  ~GilAcquire() { PyGILState_Release(state_); }
  GilAcquire(const GilAcquire&) = delete;
  GilAcquire& operator=(const GilAcquire&) = delete;

 private:
  const PyGILState_STATE state_;
};

/// The thread is without the GIL while this lives.
class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) {}
  ~GilRelease() {
    take_gil([this] { PyEval_RestoreThread(state_); });
  }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* const state_;
};

/// Runs `body` without the GIL. It must not touch a Python object.
template <class Body>
decltype(auto) without_gil(Body&& body) {
  const GilRelease release;
  return std::forward<Body>(body)();
}

/// Owns what a function of Python's C interface has made; throws the Python error if it made nothing.
inline nanobind::object checked(PyObject* made) {
  if (made == nullptr) throw nanobind::python_error();
  return nanobind::steal(made);
}

/// Throws the Python error of a function of Python's C interface that failed.
inline void check(int status) {
  if (status != 0) throw nanobind::python_error();
}

/// "ndarray", "Tensor": the class of an object, for messages.
inline std::string class_name_of(nanobind::handle object) { return nanobind::str(object.type().attr("__name__")).c_str(); }

/// Borrowed from the object.
inline std::string_view text_of(const nanobind::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

inline nanobind::bytes bytes_object(std::string_view text) { return nanobind::bytes(text.data(), text.size()); }

inline nanobind::tuple shape_object(const Shape& shape) {
  const nanobind::object tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(shape.rank())));
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    PyTuple_SetItem(tuple.ptr(), static_cast<Py_ssize_t>(axis),
                    checked(PyLong_FromUnsignedLongLong(shape[axis])).release().ptr());
  }
  return nanobind::borrow<nanobind::tuple>(tuple);
}

}  // namespace perdure::python
