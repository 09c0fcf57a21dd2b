#include "python/src/python_leaf.h"

#include <nanobind/stl/string.h>

#include <bit>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "perdure/base/error.h"
#include "perdure/base/origin.h"
#include "python/src/errors.h"
#include "python/src/imported.h"
#include "python/src/python_integer.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

/// What `__array_struct__` points to: NumPy's array interface protocol.
struct ArrayInterface {
  int two;
  int nd;
  char typekind;
  int itemsize;
  int flags;
  Py_intptr_t* shape;
  Py_intptr_t* strides;  // bytes
  void* data;
  PyObject* descr;
};
constexpr int kNotSwapped = 0x200;

constinit Imported as_array("numpy", "asarray");
constinit Imported describe("perdure._src.adapters", "describe");

std::string type_text(nb::handle object) { return nb::cast<std::string>(nb::str(object.type().attr("__name__"))); }

[[noreturn]] void refuse(nb::handle object, const std::string& why) {
  throw Error(ErrorKind::kInputType, "cannot save a '" + type_text(object) + "'" + why);
}

/// The element type of an array. Most arrays share a few dtype objects: they are remembered. `leaf` is what a refusal names.
DType dtype_of(nb::handle array, nb::handle leaf) {
  static auto* const known = new std::unordered_map<PyObject*, DType>();  // keeps the dtypes alive
  constexpr std::size_t kKnownMax = 256;
  const nb::object dtype = array.attr("dtype");
  if (const auto found = known->find(dtype.ptr()); found != known->end()) return found->second;
  const std::string name = nb::cast<std::string>(dtype.attr("name"));
  const std::optional<DType> result = find_dtype(name);
  if (!result) refuse(leaf, " of dtype " + name);
  if (known->size() < kKnownMax) known->emplace(nb::object(dtype).release().ptr(), *result);
  return *result;
}

ArrayLeaf array_leaf(DType dtype, Shape shape) {
  ArrayLeaf leaf;
  leaf.dtype = dtype;
  leaf.shape = std::move(shape);
  return leaf;
}

/// `array` is the leaf itself, or what NumPy makes of it.
ArrayLeaf read_numpy(const nb::object& array, nb::handle source, std::string origin) {
  const DType dtype = dtype_of(array, source);
  const nb::object capsule = array.attr("__array_struct__");
  const auto* const seen = static_cast<const ArrayInterface*>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
  if (seen == nullptr) throw nb::python_error();
  if ((seen->flags & kNotSwapped) == 0) {
    return read_numpy(array.attr("astype")(array.attr("dtype").attr("newbyteorder")("=")), source, std::move(origin));
  }
  const auto rank = static_cast<std::size_t>(seen->nd);
  ArrayLeaf leaf = array_leaf(dtype, Shape(std::vector<std::uint64_t>(seen->shape, seen->shape + rank)));
  ArrayView view{static_cast<const std::byte*>(seen->data), dtype, leaf.shape, Strides(seen->strides, seen->strides + rank)};
  leaf.pieces.push_back({Box::whole(leaf.shape), std::move(view)});
  leaf.owner = owner_of(array);
  leaf.immutable = !array.is(source);  // nobody else has what was made here
  leaf.origin = std::move(origin);
  return leaf;
}

std::vector<std::uint64_t> extents(nb::handle tuple) {
  std::vector<std::uint64_t> values;
  for (const nb::handle item : tuple) values.push_back(nb::cast<std::uint64_t>(item));
  return values;
}

ArrayPiece read_piece(nb::handle piece, DType dtype) {
  const Shape offset(extents(piece[0])), extent(extents(piece[1]));
  Strides strides;
  for (const nb::handle stride : nb::object(piece[3])) strides.push_back(nb::cast<std::int64_t>(stride));
  const auto* const data = std::bit_cast<const std::byte*>(nb::cast<std::uintptr_t>(piece[2]));
  return {Box{offset, extent}, ArrayView{data, dtype, extent, std::move(strides)}};
}

ArrayLeaf read_described(nb::handle object) {
  const nb::object host = with_our_errors([&] { return nb::object((*describe)(object)); });
  ArrayLeaf leaf = array_leaf(dtype_from_name(nb::cast<std::string>(host[0])), Shape(extents(host[1])));
  for (const nb::handle piece : nb::object(host[2])) leaf.pieces.push_back(read_piece(piece, leaf.dtype));
  leaf.owner = owner_of(host[3]);
  leaf.immutable = nb::cast<bool>(host[4]);
  leaf.origin = nb::cast<std::string>(host[5]);
  return leaf;
}

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
    throw Error(ErrorKind::kInputType, "cannot save a mapping with a key of type '" + type_text(key) + "'");
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

nb::object checked(PyObject* made) {
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
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
  nb::object operator()(const std::shared_ptr<const KeyTuple>& keys) const {
    nb::object tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(keys->size())));
    for (std::size_t i = 0; i < keys->size(); ++i) {
      PyTuple_SetItem(tuple.ptr(), static_cast<Py_ssize_t>(i), key_object((*keys)[i]).release().ptr());
    }
    return tuple;
  }
};

}  // namespace

std::shared_ptr<const void> owner_of(nb::handle object) {
  return std::shared_ptr<const void>(object.inc_ref().ptr(), [](const void* held) {
    if (!nb::is_alive()) return;  // the interpreter is gone, and the object with it
    const nb::gil_scoped_acquire gil;
    Py_DECREF(static_cast<PyObject*>(const_cast<void*>(held)));
  });
}

Leaf read_leaf(nb::handle object, ObjectClass object_class) {
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
    default: return read_described(object);
  }
}

Key read_key(nb::handle key) { return read_key_at(key, 0); }
nb::object key_object(const Key& key) { return std::visit(ToObject{}, key.value); }
nb::object leaf_object(const Scalar& scalar) { return std::visit(ToObject{}, scalar); }

}  // namespace perdure::python
