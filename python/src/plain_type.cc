#include "python/src/plain_type.h"

#include <string>
#include <utility>

#include "perdure/base/error.h"
#include "python/src/array_leaf.h"
#include "python/src/convert.h"
#include "python/src/python_integer.h"
#include "python/src/python_text.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

Scalar read_integer(nb::handle number) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow == 0) return static_cast<std::int64_t>(value);
  return BigInt{decimal_of(number)};
}

Scalar read_complex(nb::handle number) {
  return std::complex<double>(PyComplex_RealAsDouble(number.ptr()), PyComplex_ImagAsDouble(number.ptr()));
}

Scalar read_bytes(nb::handle object) {
  const nb::bytes bytes = nb::borrow<nb::bytes>(object);
  return Blob(as_bytes({bytes.c_str(), bytes.size()}), owner_of(object));
}

const PlainType kPlainTypes[] = {
    // A class before its bases: bool is an int.
    {&PyUnicode_Type, ScalarKind::kText, [](nb::handle str) { return Scalar(Text{utf8_of(str)}); }},
    {&PyBool_Type, ScalarKind::kBool, [](nb::handle flag) { return Scalar(flag.ptr() == Py_True); }},
    {&PyLong_Type, ScalarKind::kInt, read_integer},
    {&PyFloat_Type, ScalarKind::kFloat, [](nb::handle number) { return Scalar(PyFloat_AsDouble(number.ptr())); }},
    {&PyComplex_Type, ScalarKind::kComplex, read_complex},
    {&PyBytes_Type, ScalarKind::kBytes, read_bytes},
    {Py_TYPE(Py_None), ScalarKind::kNone, [](nb::handle) { return Scalar(None{}); }},
};

struct ToObject {
  nb::object operator()(None) const { return nb::none(); }
  nb::object operator()(bool flag) const { return nb::bool_(flag); }
  nb::object operator()(std::int64_t number) const { return checked(PyLong_FromLongLong(number)); }
  nb::object operator()(const BigInt& number) const { return integer_of(number.digits); }
  nb::object operator()(double number) const { return checked(PyFloat_FromDouble(number)); }
  nb::object operator()(const std::complex<double>& number) const {
    return checked(PyComplex_FromDoubles(number.real(), number.imag()));
  }
  nb::object operator()(const Text& text) const { return text_object(text.utf8); }
  nb::object operator()(const Blob& bytes) const { return nb::bytes(bytes.data(), bytes.size()); }
  nb::object operator()(const Handled& handled) const {
    throw Error(ErrorKind::kNoHandler, "a value of type '" + handled.typestr + "' needs its type handler");
  }
  nb::object operator()(const std::shared_ptr<const KeyTuple>& keys) const {
    nb::object tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(keys->size())));
    for (std::size_t i = 0; i < keys->size(); ++i) {
      PyTuple_SetItem(tuple.ptr(), static_cast<Py_ssize_t>(i), key_object((*keys)[i]).release().ptr());
    }
    return tuple;
  }
};

}  // namespace

const PlainType* find_plain_type(nb::handle type) {
  for (const PlainType& row : kPlainTypes) {
    if (type.ptr() == reinterpret_cast<PyObject*>(row.type)) return &row;
  }
  return nullptr;
}

const PlainType* find_plain_base(nb::handle type) {
  for (const PlainType& row : kPlainTypes) {
    if (PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type.ptr()), row.type)) return &row;
  }
  return nullptr;
}

nb::object leaf_object(const Scalar& scalar) { return std::visit(ToObject{}, scalar); }
nb::object key_object(const Key& key) { return std::visit(ToObject{}, key.value); }

}  // namespace perdure::python
