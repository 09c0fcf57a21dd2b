// The children of Python containers.
#include <utility>

#include "perdure/base/error.h"
#include "python/src/convert.h"
#include "python/src/imported.h"
#include "python/src/python_host.h"
#include "python/src/python_leaf.h"

namespace nb = nanobind;

namespace perdure::python {

void PythonReader::append(Key key, nb::object object, std::vector<Child>& out) {
  out.push_back({std::move(key), hold(std::move(object))});
}

void PythonReader::append_item(nb::handle key, nb::object object, std::vector<Child>& out) {
  append(policy_.keys_are_text ? key_by_str(key) : read_key(key), std::move(object), out);
  if (policy_.keeps_keys) out.back().key_object = hold(nb::borrow(key));
}

void PythonReader::append_children(ObjectRef ref, NodeKind kind, std::vector<Child>& out) {
  const nb::handle object = object_of(ref);
  switch (kind) {
    case NodeKind::kMapping:
      switch (object_class(object)) {
        case ObjectClass::kDict: append_dict(object, out); break;
        case ObjectClass::kNode: append_node(object, out); break;
        case ObjectClass::kSerialized: append_serialized(object, out); break;
        default: append_mapping(object, out); break;
      }
      break;
    case NodeKind::kList:
    case NodeKind::kTuple: append_sequence(object, out); break;
    case NodeKind::kNamedTuple: append_named_tuple(object, out); break;
    case NodeKind::kRecord: append_dataclass(object, out); break;
    case NodeKind::kLeaf: break;
  }
}

void PythonReader::append_dict(nb::handle dict, std::vector<Child>& out) {
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(dict.ptr(), &position, &key, &value)) append_item(key, nb::borrow(value), out);
}

// Through items(), so that the order of an OrderedDict and the values of any Mapping are its own.
void PythonReader::append_mapping(nb::handle mapping, std::vector<Child>& out) {
  for (const nb::handle item : checked(PyMapping_Items(mapping.ptr()))) append_item(nb::object(item[0]), item[1], out);
}

void PythonReader::append_node(nb::handle node, std::vector<Child>& out) {
  const nb::object children = (*imported::nodes_of)(node).attr("node_children")(node);
  for (const nb::handle child : children) append(read_key(child[0]), child[1], out);
}

void PythonReader::append_serialized(nb::handle object, std::vector<Child>& out) {
  const nb::object items = checked(PyMapping_Items(relative_dict(*serializer(object), object).ptr()));
  for (const nb::handle item : items) {
    if (!PyUnicode_Check(item[0].ptr())) throw Error(ErrorKind::kInputType, "a serializer's keys are str");
    append_item(nb::object(item[0]), item[1], out);
  }
}

void PythonReader::append_sequence(nb::handle sequence, std::vector<Child>& out) {
  const bool is_list = PyList_Check(sequence.ptr());
  const Py_ssize_t count = is_list ? PyList_Size(sequence.ptr()) : PyTuple_Size(sequence.ptr());
  for (Py_ssize_t i = 0; i < count; ++i) {
    append(i, nb::borrow(is_list ? PyList_GetItem(sequence.ptr(), i) : PyTuple_GetItem(sequence.ptr(), i)), out);
  }
}

void PythonReader::append_named_tuple(nb::handle tuple, std::vector<Child>& out) {
  const std::vector<FieldName>& fields = facts(tuple).fields;
  const Py_ssize_t count = PyTuple_Size(tuple.ptr());
  if (std::cmp_not_equal(fields.size(), count)) {
    throw Error(ErrorKind::kInputType, "cannot save a '" + class_name_of(tuple) + "' whose fields are not its items");
  }
  for (Py_ssize_t i = 0; i < count; ++i) append_field(fields[i], nb::borrow(PyTuple_GetItem(tuple.ptr(), i)), out);
}

// A field that was declared with init=False and never set has no value, and is left out.
void PythonReader::append_dataclass(nb::handle object, std::vector<Child>& out) {
  for (const FieldName& field : facts(object).fields) {
    nb::object value = nb::steal(PyObject_GetAttr(object.ptr(), field.name.ptr()));
    if (value.is_valid()) {
      append_field(field, std::move(value), out);
    } else if (PyErr_ExceptionMatches(PyExc_AttributeError)) {
      PyErr_Clear();
    } else {
      throw nb::python_error();
    }
  }
}

void PythonReader::append_field(const FieldName& field, nb::object object, std::vector<Child>& out) {
  append(field.key, std::move(object), out);
  if (policy_.keeps_keys) out.back().key_object = hold(field.name);
}

}  // namespace perdure::python
