#include "python/src/python_rebuild.h"

#include <utility>

#include "python/src/convert.h"
#include "python/src/imported.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

constinit Imported deep_copy("copy", "deepcopy");
constinit Imported shallow_copy("copy", "copy");

using Children = std::span<NewChild>;

/// A copy whose own storage is not the original's, although the values are: a mapping may keep them in a dict of its own, which
/// copy.copy would share.
nb::object copy_of_mapping(nb::handle original) {
  if (PyDict_Check(original.ptr())) return (*shallow_copy)(original);
  if (const nb::object nodes = (*imported::nodes_of)(original); !nodes.is_none()) return nodes.attr("node_copy")(original);
  nb::dict kept;  // by id
  for (const nb::handle value : original.attr("values")()) kept[checked(PyLong_FromVoidPtr(value.ptr()))] = value;
  return (*deep_copy)(original, kept);
}

nb::object node_like(nb::handle original, Children children) {
  return (*imported::nodes_of)(original).attr("node_like")(original, list_of(children));
}

nb::object mapping_like(nb::handle original, Children children) {
  if (PyDict_CheckExact(original.ptr())) return dict_of(children);
  if (!nb::isinstance(original, *imported::mapping)) return node_like(original, children);
  if (!nb::isinstance(original, *imported::mutable_mapping)) return original.type()(dict_of(children));
  nb::object copy = copy_of_mapping(original);
  for (const NewChild& child : children) copy[child.key] = child.object;
  return copy;
}

nb::object list_like(nb::handle original, Children children) {
  if (PyList_CheckExact(original.ptr())) return list_of(children);
  nb::object copy = (*shallow_copy)(original);
  for (std::size_t i = 0; i < children.size(); ++i) {
    check(PySequence_SetItem(copy.ptr(), static_cast<Py_ssize_t>(i), children[i].object.ptr()));
  }
  return copy;
}

nb::object tuple_like(nb::handle original, Children children) {
  const nb::object items = tuple_of(children);
  if (PyTuple_CheckExact(original.ptr())) return items;
  try {
    return nb::handle(reinterpret_cast<PyObject*>(&PyTuple_Type)).attr("__new__")(original.type(), items);
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
    return original.type()(items);  // torch.Size, whose memory only its own constructor lays out
  }
}

void set_field(const nb::object& object, const NewChild& field) {
  check(PyObject_GenericSetAttr(object.ptr(), field.key.ptr(), field.object.ptr()));  // frozen ones too
}

nb::object record_like(nb::handle original, Children children) {
  nb::object copy = (*shallow_copy)(original);
  for (const NewChild& child : children) set_field(copy, child);
  return copy;
}

}  // namespace

nb::object list_of(Children children) {
  nb::object list = checked(PyList_New(static_cast<Py_ssize_t>(children.size())));
  for (std::size_t i = 0; i < children.size(); ++i) {
    check(PyList_SetItem(list.ptr(), static_cast<Py_ssize_t>(i), children[i].object.release().ptr()));
  }
  return list;
}

nb::object tuple_of(Children children) {
  nb::object tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(children.size())));
  for (std::size_t i = 0; i < children.size(); ++i) {
    check(PyTuple_SetItem(tuple.ptr(), static_cast<Py_ssize_t>(i), children[i].object.release().ptr()));
  }
  return tuple;
}

nb::object dict_of(std::span<const NewChild> children) {
  nb::object dict = checked(PyDict_New());
  for (const NewChild& child : children) check(PyDict_SetItem(dict.ptr(), child.key.ptr(), child.object.ptr()));
  return dict;
}

nb::object object_like(nb::handle original, NodeKind kind, Children children) {
  switch (kind) {
    case NodeKind::kList: return list_like(original, children);
    case NodeKind::kTuple:
    case NodeKind::kNamedTuple: return tuple_like(original, children);
    case NodeKind::kRecord: return record_like(original, children);
    default: return mapping_like(original, children);
  }
}

nb::object constructed_like(nb::handle original, nb::handle parameters, Children children) {
  if (parameters.is_none()) return record_like(original, children);
  const nb::object given = dict_of(children);
  nb::dict arguments;
  for (const nb::handle name : parameters) {
    nb::object value = nb::borrow(PyDict_GetItemWithError(given.ptr(), name.ptr()));
    if (!value.is_valid()) {
      if (!nb::hasattr(original, name)) return record_like(original, children);
      value = original.attr(name);
    }
    arguments[name] = value;
  }
  const nb::object made = checked(PyObject_Call(original.type().ptr(), nb::tuple().ptr(), arguments.ptr()));
  for (const NewChild& child : children) {
    if (!arguments.contains(child.key)) set_field(made, child);
  }
  return made;
}

}  // namespace perdure::python
