#include "python/src/python_host.h"

#include <optional>
#include <utility>

#include "python/src/convert.h"
#include "python/src/imported.h"
#include "python/src/plain_type.h"
#include "python/src/python_enum.h"
#include "python/src/python_leaf.h"
#include "python/src/python_text.h"

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
constinit Imported tree_fields("perdure._src.dataclass_fields", "tree_fields");

/// Of Python's own classes, not of their subclasses.
std::optional<ObjectClass> builtin_class(nb::handle type) {
  const auto is = [type](PyTypeObject& builtin) { return type.ptr() == reinterpret_cast<PyObject*>(&builtin); };
  if (is(PyDict_Type)) return ObjectClass::kDict;
  if (is(PyList_Type)) return ObjectClass::kList;
  if (is(PyTuple_Type)) return ObjectClass::kTuple;
  return find_plain_type(type) ? std::optional(ObjectClass::kPlain) : std::nullopt;
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
    error.value().attr("add_note")(text_object(note));
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
    if (!typestr.is_none()) return {ObjectClass::kHandled, nullptr, {}, utf8_of(typestr)};
  }
  if (leaf_types_.is_valid() && !leaf_types_.is_none() && is_subclass(type, leaf_types_)) return {};
  FoundSerializer serializer = builtin_class(type) ? serializers().find(type.ptr()) : resolve_serializer(type);
  if (serializer != nullptr && (policy_.leaf_serializers || !serializer->is_leaf())) {
    return {ObjectClass::kSerialized, std::move(serializer), {}, {}};
  }
  const ObjectClass object_class = classify(type, object);
  return {object_class, nullptr, fields_of(type, object_class), {}};
}

std::vector<PythonReader::FieldName> PythonReader::fields_of(nb::handle type, ObjectClass object_class) {
  nb::object names;
  if (object_class == ObjectClass::kNamedTuple) {
    names = type.attr("_fields");
  } else if (object_class == ObjectClass::kDataclass) {
    names = (*tree_fields)(type);
  } else {
    return {};
  }
  std::vector<FieldName> fields;
  for (const nb::handle name : names) fields.push_back({Key(utf8_of(name)), nb::borrow(name)});
  return fields;
}

ObjectClass PythonReader::classify(nb::handle type, nb::handle object) {
  if (const auto object_class = builtin_class(type)) return *object_class;
  if (type.is(*numpy_ndarray) || type.is(*numpy_memmap)) return ObjectClass::kNumpyArray;
  if (is_subclass(type, *numpy_generic)) return ObjectClass::kNumpyScalar;
  if (is_enum_of_plain(type)) return ObjectClass::kEnum;
  if (has_flag(type, Py_TPFLAGS_TUPLE_SUBCLASS)) {
    return has_field_names(type) ? ObjectClass::kNamedTuple : ObjectClass::kTuple;
  }
  if (has_flag(type, Py_TPFLAGS_LIST_SUBCLASS)) return ObjectClass::kList;
  if (has_flag(type, Py_TPFLAGS_DICT_SUBCLASS)) return ObjectClass::kMapping;
  if (nb::hasattr(type, "__dataclass_fields__")) return ObjectClass::kDataclass;
  if (is_subclass(type, *imported::mapping)) return ObjectClass::kMapping;
  return policy_.opens_nodes && !(*imported::nodes_of)(object).is_none() ? ObjectClass::kNode : ObjectClass::kOther;
}

NodeKind PythonReader::kind(ObjectRef object) {
  const ObjectClass object_class = this->object_class(object_of(object));
  if (object_class == ObjectClass::kSerialized) return policy_.opens_serialized ? NodeKind::kMapping : NodeKind::kLeaf;
  return kind_of(object_class);
}

TypeName PythonReader::type_name(ObjectRef object) {
  const nb::handle type = object_of(object).type();
  if (builtin_class(type) || object_class(object_of(object)) == ObjectClass::kSerialized) return {};
  return {utf8_of(nb::str(type.attr("__module__"))), utf8_of(type.attr("__qualname__"))};
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

}  // namespace perdure::python
