#include "python/src/python_host.h"

#include <optional>
#include <utility>

#include "python/src/imported.h"
#include "python/src/python_leaf.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

NodeKind kind_of(ObjectClass object_class) {
  switch (object_class) {
    case ObjectClass::kDict:
    case ObjectClass::kMapping:
    case ObjectClass::kNode: return NodeKind::kMapping;
    case ObjectClass::kList: return NodeKind::kList;
    case ObjectClass::kTuple: return NodeKind::kTuple;
    case ObjectClass::kNamedTuple: return NodeKind::kNamedTuple;
    case ObjectClass::kDataclass: return NodeKind::kRecord;
    default: return NodeKind::kLeaf;
  }
}

constinit Imported numpy_ndarray("numpy", "ndarray");
constinit Imported numpy_memmap("numpy", "memmap");
constinit Imported numpy_generic("numpy", "generic");
constinit Imported is_node("perdure._src.adapters", "is_node");
constinit Imported node_children("perdure._src.adapters", "node_children");

struct PlainType {
  void* type;
  ObjectClass object_class;
};
const PlainType kPlainTypes[] = {
    {&PyDict_Type, ObjectClass::kDict},       {&PyList_Type, ObjectClass::kList},   {&PyTuple_Type, ObjectClass::kTuple},
    {&PyBool_Type, ObjectClass::kBool},       {&PyLong_Type, ObjectClass::kInt},    {&PyFloat_Type, ObjectClass::kFloat},
    {&PyComplex_Type, ObjectClass::kComplex}, {&PyUnicode_Type, ObjectClass::kStr}, {&PyBytes_Type, ObjectClass::kBytes},
};

std::optional<ObjectClass> plain_class(nb::handle type) {
  for (const PlainType& row : kPlainTypes) {
    if (type.ptr() == row.type) return row.object_class;
  }
  if (type.is(nb::none().type())) return ObjectClass::kNone;
  return std::nullopt;
}

bool is_subclass(nb::handle type, nb::handle base) {
  const int result = PyObject_IsSubclass(type.ptr(), base.ptr());
  if (result < 0) throw nb::python_error();
  return result == 1;
}

bool has_flag(nb::handle type, unsigned long flag) {
  return (PyType_GetFlags(reinterpret_cast<PyTypeObject*>(type.ptr())) & flag) != 0;
}

bool has_field_names(nb::handle tuple_type) {
  const nb::object fields = nb::getattr(tuple_type, "_fields", nb::none());
  if (!PyTuple_Check(fields.ptr())) return false;
  for (const nb::handle name : nb::borrow<nb::tuple>(fields)) {
    if (!PyUnicode_Check(name.ptr())) return false;
  }
  return true;
}

/// As flax and jax mark a dataclass field that is no child of the pytree.
bool is_static(nb::handle field) {
  const nb::object metadata = field.attr("metadata");
  if (nb::len(metadata) == 0) return false;
  return metadata.attr("get")("pytree_node").is(nb::bool_(false)) || metadata.attr("get")("static").is(nb::bool_(true));
}

std::string text_of(nb::handle text) { return std::get<Text>(read_key(text).value).utf8; }

}  // namespace

PythonReader::PythonReader(nb::handle leaf_types) {
  if (leaf_types.is_valid() && !leaf_types.is_none()) leaf_types_ = nb::borrow(leaf_types);
}

PythonReader::~PythonReader() {
  for (PyObject* object : held_) Py_DECREF(object);
}

ObjectClass PythonReader::object_class(nb::handle object) {
  PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()));
  if (type == last_type_) return last_class_;
  const auto [entry, is_new] = classes_.try_emplace(type, ObjectClass::kOther);
  if (is_new) {
    Py_INCREF(type);
    held_.push_back(type);
    entry->second = classify(type, object);
  }
  last_type_ = type;
  last_class_ = entry->second;
  return last_class_;
}

ObjectClass PythonReader::classify(nb::handle type, nb::handle object) {
  if (leaf_types_.is_valid() && is_subclass(type, leaf_types_)) return ObjectClass::kOther;
  if (const auto object_class = plain_class(type)) return *object_class;
  if (type.is(*numpy_ndarray) || type.is(*numpy_memmap)) return ObjectClass::kNumpyArray;
  if (is_subclass(type, *numpy_generic)) return ObjectClass::kNumpyScalar;
  if (has_flag(type, Py_TPFLAGS_TUPLE_SUBCLASS)) {
    return has_field_names(type) ? ObjectClass::kNamedTuple : ObjectClass::kTuple;
  }
  if (has_flag(type, Py_TPFLAGS_LIST_SUBCLASS)) return ObjectClass::kList;
  if (has_flag(type, Py_TPFLAGS_DICT_SUBCLASS)) return ObjectClass::kMapping;
  if (nb::hasattr(type, "__dataclass_fields__")) return ObjectClass::kDataclass;
  if (is_subclass(type, *imported::mapping)) return ObjectClass::kMapping;
  return nb::cast<bool>((*is_node)(object)) ? ObjectClass::kNode : ObjectClass::kOther;
}

NodeKind PythonReader::kind(ObjectRef object) { return kind_of(object_class(object_of(object))); }

TypeName PythonReader::type_name(ObjectRef object) {
  const nb::handle type = object_of(object).type();
  if (plain_class(type)) return {};
  return {text_of(nb::str(type.attr("__module__"))), text_of(type.attr("__qualname__"))};
}

Leaf PythonReader::leaf(ObjectRef object) { return read_leaf(object_of(object), object_class(object_of(object)), adapters_); }

ObjectRef PythonReader::hold(nb::object object) {
  held_.push_back(object.ptr());
  return object.release().ptr();
}

void PythonReader::append(Key key, nb::object object, std::vector<Child>& out) {
  out.push_back({std::move(key), hold(std::move(object))});
}

void PythonReader::append_children(ObjectRef ref, NodeKind kind, std::vector<Child>& out) {
  const nb::handle object = object_of(ref);
  switch (kind) {
    case NodeKind::kMapping:
      if (PyDict_CheckExact(object.ptr()))
        append_dict(object, out);
      else if (object_class(object) == ObjectClass::kNode)
        append_node(object, out);
      else
        append_mapping(object, out);
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
  while (PyDict_Next(dict.ptr(), &position, &key, &value)) append(read_key(key), nb::borrow(value), out);
}

// Through items(), so that the order of an OrderedDict and the values of any Mapping are its own.
void PythonReader::append_mapping(nb::handle mapping, std::vector<Child>& out) {
  const nb::object items = nb::steal(PyMapping_Items(mapping.ptr()));
  if (!items.is_valid()) throw nb::python_error();
  for (const nb::handle item : items) append(read_key(item[0]), item[1], out);
}

void PythonReader::append_node(nb::handle node, std::vector<Child>& out) {
  const nb::object children = (*node_children)(node);
  for (const nb::handle child : children) append(read_key(child[0]), child[1], out);
}

void PythonReader::append_sequence(nb::handle sequence, std::vector<Child>& out) {
  const bool is_list = PyList_Check(sequence.ptr());
  const Py_ssize_t count = is_list ? PyList_Size(sequence.ptr()) : PyTuple_Size(sequence.ptr());
  for (Py_ssize_t i = 0; i < count; ++i) {
    append(i, nb::borrow(is_list ? PyList_GetItem(sequence.ptr(), i) : PyTuple_GetItem(sequence.ptr(), i)), out);
  }
}

void PythonReader::append_named_tuple(nb::handle tuple, std::vector<Child>& out) {
  const nb::tuple fields = nb::borrow<nb::tuple>(tuple.type().attr("_fields"));
  const Py_ssize_t count = PyTuple_Size(tuple.ptr());
  if (std::cmp_not_equal(fields.size(), count)) {
    throw Error(ErrorKind::kInputType,
                "cannot save a '" + text_of(tuple.type().attr("__name__")) + "' whose fields are not its items");
  }
  for (Py_ssize_t i = 0; i < count; ++i) append(text_of(fields[i]), nb::borrow(PyTuple_GetItem(tuple.ptr(), i)), out);
}

// A field that was declared with init=False and never set has no value, and is left out. So is what the class declares to be no
// state: functions and settings of a flax.struct or of jax.tree_util.register_dataclass.
void PythonReader::append_dataclass(nb::handle object, std::vector<Child>& out) {
  for (const nb::handle field : nb::object((*imported::dataclass_fields)(object))) {
    if (is_static(field)) continue;
    const nb::object name = field.attr("name");
    nb::object value = nb::steal(PyObject_GetAttr(object.ptr(), name.ptr()));
    if (value.is_valid()) {
      append(text_of(name), std::move(value), out);
    } else if (PyErr_ExceptionMatches(PyExc_AttributeError)) {
      PyErr_Clear();
    } else {
      throw nb::python_error();
    }
  }
}

tree::FlatTree flatten_python(nb::handle root) {
  PythonReader reader;
  return tree::flatten_tree(reader, root.ptr());
}

}  // namespace perdure::python
