#pragma once
// Small conversions that every binding file needs.
#include <nanobind/nanobind.h>

#include <string_view>
#include <utility>

#include "perdure/base/shape.h"

namespace perdure::python {

/// Runs `body` without the GIL. It must not touch a Python object.
template <class Body>
decltype(auto) without_gil(Body&& body) {
  nanobind::gil_scoped_release release;
  return std::forward<Body>(body)();
}

/// Borrowed from the object.
inline std::string_view text_of(const nanobind::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

inline nanobind::bytes bytes_object(std::string_view text) { return nanobind::bytes(text.data(), text.size()); }

inline nanobind::tuple shape_object(const Shape& shape) {
  nanobind::list dims;
  for (const std::uint64_t dim : shape) dims.append(dim);
  return nanobind::tuple(dims);
}

}  // namespace perdure::python
