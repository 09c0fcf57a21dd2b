#include "python/src/python_leaf.h"

#include <optional>
#include <string>
#include <utility>

#include "perdure/base/error.h"
#include "perdure/base/origin.h"
#include "python/src/array_leaf.h"
#include "python/src/convert.h"
#include "python/src/imported.h"
#include "python/src/plain_type.h"
#include "python/src/python_text.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

constinit Imported as_array("numpy", "asarray");

std::optional<Key> find_key(Scalar plain) {
  return std::visit(
      []<class Part>(Part&& part) -> std::optional<Key> {
        if constexpr (std::is_constructible_v<Key::Value, Part>) return Key(Key::Value(std::move(part)));
        return std::nullopt;
      },
      std::move(plain));
}

Key read_key_at(nb::handle key, std::size_t depth) {
  PyObject* const object = key.ptr();
  if (const PlainType* plain = find_plain_type(key.type())) {
    if (std::optional<Key> known = find_key(plain->read(key))) return std::move(*known);
  }
  if (!PyTuple_CheckExact(object) || depth >= kKeyDepthMax) {
    throw Error(ErrorKind::kInputType, "cannot save a mapping with a key of type '" + class_name_of(key) + "'");
  }
  KeyTuple keys;
  for (Py_ssize_t i = 0; i < PyTuple_Size(object); ++i) keys.push_back(read_key_at(PyTuple_GetItem(object, i), depth + 1));
  return keys;
}

}  // namespace

Leaf read_leaf(nb::handle object, ObjectClass object_class, Adapters& adapters) {
  switch (object_class) {
    case ObjectClass::kPlain:
    case ObjectClass::kEnum: return find_plain_base(object.type())->read(object);
    case ObjectClass::kNumpyArray: return read_numpy(nb::borrow(object), object, "numpy");
    case ObjectClass::kNumpyScalar: return read_numpy((*as_array)(object), object, std::string(origins::kNumpyScalar));
    default: return adapters.describe(object);
  }
}

Key read_key(nb::handle key) { return read_key_at(key, 0); }
Key key_by_str(nb::handle key) {
  if (PyUnicode_CheckExact(key.ptr())) return Key(utf8_of(key));
  return Key(utf8_of(checked(PyObject_Str(key.ptr()))));
}

}  // namespace perdure::python
