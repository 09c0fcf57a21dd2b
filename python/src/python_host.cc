#include "python/src/python_host.h"

#include <optional>
#include <utility>

#include "python/src/convert.h"
#include "python/src/imported.h"
#include "python/src/python_enum.h"
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

std::string str_text(nb::handle text) { return std::get<Text>(read_key(text).value).utf8; }

}  // namespace

PythonReader::PythonReader(const ReaderPolicy& policy)
    : policy_(policy), leaf_types_(nb::borrow(policy.leaf_types)), type_handlers_(nb::borrow(policy.type_handlers)) {}

PythonReader::~PythonReader() {
  for (PyObject* object : held_) Py_DECREF(object);
}

void PythonReader::add_note(const std::exception_ptr& thrown, const std::string& note) {
  try {
    std::rethrow_exception(thrown);
  } catch (const nb::python_error& error) {
    error.value().attr("add_note")(key_object(std::string_view(note)));
  } catch (...) {  // not an exception of Python: nowhere to put it
  }
}

const PythonReader::TypeFacts& PythonReader::facts(nb::handle object) {
  PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()));
  if (generation_ != serializers().generation()) {
    types_.clear();
    last_type_ = nullptr;
    generation_ = serializers().generation();
  }
  if (type == last_type_) return *last_facts_;
  auto found = types_.find(type);
  if (found == types_.end()) {
    hold(nb::borrow(type));
    TypeFacts made = facts_of(type, object);  // may register more serializers: the next call then begins anew
    found = types_.insert_or_assign(type, std::move(made)).first;
  }
  last_type_ = type;
  last_facts_ = &found->second;
  return *last_facts_;
}

PythonReader::TypeFacts PythonReader::facts_of(nb::handle type, nb::handle object) {
  if (type_handlers_.is_valid() && !type_handlers_.is_none()) {
    const nb::object typestr = type_handlers_(type);
    if (!typestr.is_none()) return {ObjectClass::kHandled, nullptr, {}, str_text(typestr)};
  }
  if (leaf_types_.is_valid() && !leaf_types_.is_none() && is_subclass(type, leaf_types_)) return {};
  FoundSerializer serializer = plain_class(type) ? serializers().find(type.ptr()) : resolve_serializer(type);
  if (serializer != nullptr && (policy_.leaf_serializers || !serializer->is_leaf())) {
    return {ObjectClass::kSerialized, std::move(serializer), {}, {}};
  }
  const ObjectClass object_class = classify(type, object);
  return {object_class, nullptr, fields_of(type, object_class), {}};
}

// Without what the class declares to be no state: functions and settings of a flax.struct or of jax.tree_util.register_dataclass.
std::vector<PythonReader::FieldName> PythonReader::fields_of(nb::handle type, ObjectClass object_class) {
  std::vector<FieldName> fields;
  const auto append = [&](nb::object name) { fields.push_back({str_text(name), std::move(name)}); };
  if (object_class == ObjectClass::kNamedTuple) {
    for (const nb::handle name : nb::object(type.attr("_fields"))) append(nb::borrow(name));
  } else if (object_class == ObjectClass::kDataclass) {
    for (const nb::handle field : nb::object((*imported::dataclass_fields)(type))) {
      if (!is_static(field)) append(field.attr("name"));
    }
  }
  return fields;
}

ObjectClass PythonReader::classify(nb::handle type, nb::handle object) {
  if (const auto object_class = plain_class(type)) return *object_class;
  if (type.is(*numpy_ndarray) || type.is(*numpy_memmap)) return ObjectClass::kNumpyArray;
  if (is_subclass(type, *numpy_generic)) return ObjectClass::kNumpyScalar;
  if (const auto object_class = enum_value_class(type)) return *object_class;
  if (has_flag(type, Py_TPFLAGS_TUPLE_SUBCLASS)) {
    return has_field_names(type) ? ObjectClass::kNamedTuple : ObjectClass::kTuple;
  }
  if (has_flag(type, Py_TPFLAGS_LIST_SUBCLASS)) return ObjectClass::kList;
  if (has_flag(type, Py_TPFLAGS_DICT_SUBCLASS)) return ObjectClass::kMapping;
  if (nb::hasattr(type, "__dataclass_fields__")) return ObjectClass::kDataclass;
  if (is_subclass(type, *imported::mapping)) return ObjectClass::kMapping;
  return policy_.opens_nodes && nb::cast<bool>((*is_node)(object)) ? ObjectClass::kNode : ObjectClass::kOther;
}

NodeKind PythonReader::kind(ObjectRef object) {
  const ObjectClass object_class = this->object_class(object_of(object));
  if (object_class == ObjectClass::kSerialized) return policy_.opens_serialized ? NodeKind::kMapping : NodeKind::kLeaf;
  return kind_of(object_class);
}

TypeName PythonReader::type_name(ObjectRef object) {
  const nb::handle type = object_of(object).type();
  if (plain_class(type) || object_class(object_of(object)) == ObjectClass::kSerialized) return {};
  return {str_text(nb::str(type.attr("__module__"))), str_text(type.attr("__qualname__"))};
}

Leaf PythonReader::leaf(ObjectRef object) {
  const TypeFacts& known = facts(object_of(object));
  if (known.object_class == ObjectClass::kHandled) return Scalar(Handled{known.typestr});
  return read_leaf(object_of(object), known.object_class, adapters_);
}

ObjectRef PythonReader::hold(nb::object object) {
  held_.push_back(object.ptr());
  return object.release().ptr();
}

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
  const nb::object items = nb::steal(PyMapping_Items(mapping.ptr()));
  if (!items.is_valid()) throw nb::python_error();
  for (const nb::handle item : items) append_item(nb::object(item[0]), item[1], out);
}

void PythonReader::append_node(nb::handle node, std::vector<Child>& out) {
  const nb::object children = (*node_children)(node);
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

tree::FlatTree flatten_python(nb::handle root) {
  PythonReader reader;
  return tree::flatten_tree(reader, root.ptr());
}

}  // namespace perdure::python
