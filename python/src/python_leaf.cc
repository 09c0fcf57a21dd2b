#include "python/src/python_leaf.h"

#include <nanobind/stl/string.h>

#include <string>
#include <utility>

#include "perdure/base/error.h"
#include "perdure/base/origin.h"
#include "python/src/array_leaf.h"
#include "python/src/convert.h"
#include "python/src/imported.h"
#include "python/src/python_integer.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

constinit Imported as_array("numpy", "asarray");

Text read_text(nb::handle text) {
  Py_ssize_t size = 0;
  if (const char* utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size)) return {std::string(utf8, static_cast<std::size_t>(size))};
  PyErr_Clear();  // a lone surrogate
  const nb::object encoded = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogatepass"));
  if (!encoded.is_valid()) throw nb::python_error();
  const nb::bytes bytes = nb::borrow<nb::bytes>(encoded);
  return {std::string(bytes.c_str(), bytes.size())};
}

std::variant<std::int64_t, BigInt> read_integer(nb::handle number) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow == 0) return static_cast<std::int64_t>(value);
  return BigInt{decimal_of(number)};
}

Blob read_bytes(nb::handle object) {
  const nb::bytes bytes = nb::borrow<nb::bytes>(object);
  return Blob(as_bytes({bytes.c_str(), bytes.size()}), owner_of(object));
}

Key read_key_at(nb::handle key, std::size_t depth) {
  PyObject* const object = key.ptr();
  if (PyUnicode_CheckExact(object)) return read_text(key);
  if (PyBool_Check(object)) return object == Py_True;
  if (PyLong_CheckExact(object)) {
    return std::visit([](auto&& number) { return Key(Key::Value(std::move(number))); }, read_integer(key));
  }
  if (PyFloat_CheckExact(object)) return PyFloat_AsDouble(object);
  if (key.is_none()) return Key();
  if (!PyTuple_CheckExact(object) || depth >= kKeyDepthMax) {
    throw Error(ErrorKind::kInputType, "cannot save a mapping with a key of type '" + class_name_of(key) + "'");
  }
  KeyTuple keys;
  for (Py_ssize_t i = 0; i < PyTuple_Size(object); ++i) keys.push_back(read_key_at(PyTuple_GetItem(object, i), depth + 1));
  return keys;
}

nb::object text_object(std::string_view utf8) {
  nb::object text = nb::steal(PyUnicode_DecodeUTF8(utf8.data(), static_cast<Py_ssize_t>(utf8.size()), "surrogatepass"));
  if (!text.is_valid()) throw nb::python_error();
  return text;
}

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

Leaf read_leaf(nb::handle object, ObjectClass object_class, Adapters& adapters) {
  switch (object_class) {
    case ObjectClass::kNone: return Scalar(None{});
    case ObjectClass::kBool: return Scalar(object.ptr() == Py_True);
    case ObjectClass::kInt: return std::visit([](auto&& number) { return Scalar(std::move(number)); }, read_integer(object));
    case ObjectClass::kFloat: return Scalar(PyFloat_AsDouble(object.ptr()));
    case ObjectClass::kComplex:
      return Scalar(std::complex<double>(PyComplex_RealAsDouble(object.ptr()), PyComplex_ImagAsDouble(object.ptr())));
    case ObjectClass::kStr: return Scalar(read_text(object));
    case ObjectClass::kBytes: return Scalar(read_bytes(object));
    case ObjectClass::kNumpyArray: return read_numpy(nb::borrow(object), object, "numpy");
    case ObjectClass::kNumpyScalar: return read_numpy((*as_array)(object), object, std::string(origins::kNumpyScalar));
    default: return adapters.describe(object);
  }
}

Key read_key(nb::handle key) { return read_key_at(key, 0); }
Key key_by_str(nb::handle key) {
  if (PyUnicode_CheckExact(key.ptr())) return read_text(key);
  const nb::object text = nb::steal(PyObject_Str(key.ptr()));
  if (!text.is_valid()) throw nb::python_error();
  return read_text(text);
}
nb::object key_object(const Key& key) { return std::visit(ToObject{}, key.value); }
nb::object leaf_object(const Scalar& scalar) { return std::visit(ToObject{}, scalar); }

}  // namespace perdure::python
