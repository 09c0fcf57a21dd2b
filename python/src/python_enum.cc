#include "python/src/python_enum.h"

#include "python/src/convert.h"
#include "python/src/imported.h"
#include "python/src/plain_type.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

constinit Imported enum_meta("enum", "EnumMeta");
constinit Imported enum_flag("enum", "Flag");

bool is_enum_class(nb::handle type) {
  return Py_TYPE(type.ptr()) != &PyType_Type && PyType_Check(type.ptr()) && nb::isinstance(type, *enum_meta);
}

bool has_enums(const PlainType* plain) {
  return plain != nullptr &&
         (plain->kind == ScalarKind::kInt || plain->kind == ScalarKind::kFloat || plain->kind == ScalarKind::kText);
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

bool is_enum_of_plain(nb::handle type) { return is_enum_class(type) && has_enums(find_plain_base(type)); }

void name_enum_classes(PythonReader& reader, const tree::FlatObjects& flat, tree::Structure& structure) {
  for (const std::uint32_t position : flat.leaf_positions) {
    if (reader.object_class(object_of(flat.objects[position])) != ObjectClass::kEnum) continue;
    structure.set_type(position, structure.add_type(reader.type_name(flat.objects[position])));
  }
}

nb::object find_enum_member(nb::handle cls, nb::handle value) {
  if (!is_enum_class(cls) || !has_enums(find_plain_type(value.type()))) return nb::none();
  const nb::object members = nb::getattr(cls, "__dict__").attr("get")("_value2member_map_");
  if (!PyDict_Check(members.ptr())) return nb::none();
  const nb::object found = nb::borrow(PyDict_GetItemWithError(members.ptr(), value.ptr()));
  if (!found.is_valid() && PyErr_Occurred()) throw nb::python_error();
  if (found.is_valid()) return found.type().is(cls) ? found : nb::none();
  return makes_combinations(cls) ? find_combination(cls, value) : nb::none();
}

}  // namespace perdure::python
