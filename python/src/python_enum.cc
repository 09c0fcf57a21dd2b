#include "python/src/python_enum.h"

#include "python/src/convert.h"
#include "python/src/imported.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

constinit Imported enum_meta("enum", "EnumMeta");
constinit Imported enum_flag("enum", "Flag");

bool is_enum_class(nb::handle type) {
  return Py_TYPE(type.ptr()) != &PyType_Type && PyType_Check(type.ptr()) && nb::isinstance(type, *enum_meta);
}

bool is_plain(nb::handle value) {
  return PyLong_CheckExact(value.ptr()) || PyFloat_CheckExact(value.ptr()) || PyUnicode_CheckExact(value.ptr());
}

/// Whether members may be combined, by code of the standard library only.
bool makes_combinations(nb::handle cls) {
  if (!cls.type().is(*enum_meta) || PyObject_IsSubclass(cls.ptr(), (*enum_flag).ptr()) != 1) return false;
  for (const nb::handle base : nb::object(cls.attr("__mro__"))) {
    if (base.is(*enum_flag)) return true;
    if (nb::cast<bool>(base.attr("__dict__").attr("__contains__")("_missing_"))) return false;
  }
  return false;
}

nb::object find_combination(nb::handle cls, nb::handle value) {
  nb::object made = nb::steal(PyObject_CallFunctionObjArgs(cls.ptr(), value.ptr(), nullptr));
  if (made.is_valid()) return made.type().is(cls) ? made : nb::none();
  if (!PyErr_ExceptionMatches(PyExc_ValueError)) throw nb::python_error();
  PyErr_Clear();
  return nb::none();
}

}  // namespace

std::optional<ObjectClass> enum_value_class(nb::handle type) {
  if (!is_enum_class(type)) return std::nullopt;
  auto* const cls = reinterpret_cast<PyTypeObject*>(type.ptr());
  if (PyType_IsSubtype(cls, &PyLong_Type)) return ObjectClass::kInt;
  if (PyType_IsSubtype(cls, &PyFloat_Type)) return ObjectClass::kFloat;
  if (PyType_IsSubtype(cls, &PyUnicode_Type)) return ObjectClass::kStr;
  return std::nullopt;
}

void name_enum_classes(PythonReader& reader, const tree::FlatObjects& flat, tree::Structure& structure) {
  for (const std::uint32_t position : flat.leaf_positions) {
    const nb::handle object = object_of(flat.objects[position]);
    const ObjectClass object_class = reader.object_class(object);
    const bool is_scalar =
        object_class == ObjectClass::kInt || object_class == ObjectClass::kFloat || object_class == ObjectClass::kStr;
    if (!is_scalar || is_plain(object)) continue;
    structure.set_type(position, structure.add_type(reader.type_name(flat.objects[position])));
  }
}

nb::object find_enum_member(nb::handle cls, nb::handle value) {
  if (!is_enum_class(cls) || !is_plain(value)) return nb::none();
  const nb::object members = nb::getattr(cls, "__dict__").attr("get")("_value2member_map_");
  if (!PyDict_Check(members.ptr())) return nb::none();
  const nb::object found = nb::borrow(PyDict_GetItemWithError(members.ptr(), value.ptr()));
  if (!found.is_valid() && PyErr_Occurred()) throw nb::python_error();
  if (found.is_valid()) return found.type().is(cls) ? found : nb::none();
  return makes_combinations(cls) ? find_combination(cls, value) : nb::none();
}

}  // namespace perdure::python
