#include "python/src/python_state.h"

#include <utility>

#include "perdure/base/error.h"
#include "perdure/tree/walk.h"
#include "python/src/convert.h"
#include "python/src/imported.h"
#include "python/src/plain_type.h"
#include "python/src/python_rebuild.h"
#include "python/src/python_text.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

using tree::FlatEntry;
using tree::LeafRole;

constinit Imported constructor_fields("perdure._src.dataclass_fields", "constructor_fields");

ReaderPolicy policy(PythonState::For purpose) {
  return {.opens_serialized = false,
          .opens_nodes = false,
          .keys_are_text = true,
          .keeps_keys = purpose == PythonState::For::kRestoring,
          .leaf_serializers = true};
}

/// Replaces arrays by copies and containers by new ones; leaves all else alone.
class Copier final : public tree::Visitor {
 public:
  explicit Copier(PythonState& state) : state_(state) {}
  ObjectRef leaf(Child& child, const std::string&) override {
    const LeafRole role = state_.role(child.object);
    return role == LeafRole::kArray ? state_.save_leaf(child.object, role) : child.object;
  }
  void enter(Child&, NodeKind) override {}
  ObjectRef leave(ObjectRef container, NodeKind kind, std::span<const Child> children, const std::string&) override {
    return state_.rebuild(container, kind, children);
  }

 private:
  PythonState& state_;
};

}  // namespace

PythonState::PythonState(For purpose, bool copies) : reader_(policy(purpose)), copies_(copies) {}

LeafRole PythonState::role(ObjectRef leaf) {
  const nb::handle object = object_of(leaf);
  if (reader_.object_class(object) == ObjectClass::kSerialized) {
    return reader_.serializer(object)->is_leaf() ? LeafRole::kArray : LeafRole::kSerialized;
  }
  const PlainType* const plain = find_plain_base(object.type());
  return plain == nullptr ? LeafRole::kUnknown : tree::role_of(plain->kind);
}

std::string PythonState::type_text(ObjectRef object) { return class_name_of(object_of(object)); }

ObjectRef PythonState::save_leaf(ObjectRef leaf, LeafRole role) {
  if (role == LeafRole::kPlain) return leaf;
  return reader_.hold(reader_.serializer(object_of(leaf))->copy_leaf(object_of(leaf)));
}

void PythonState::save_serialized(ObjectRef leaf, std::vector<FlatEntry>& out) {
  append_entries(relative_dict(*reader_.serializer(object_of(leaf)), object_of(leaf)), out);
}

bool PythonState::put(std::string_view key, ObjectRef value) {
  const std::size_t before = flat_.size();
  check(PyDict_SetItem(flat_.ptr(), text_object(key).ptr(), object_of(value).ptr()));
  return flat_.size() != before;
}

std::vector<FlatEntry> PythonState::entries_of(nb::handle mapping) {
  if (!nb::isinstance(mapping, *imported::mapping)) {
    throw Error(ErrorKind::kInputType, "expected a mapping, found '" + class_name_of(mapping) + "'");
  }
  std::vector<FlatEntry> entries;
  entries.reserve(nb::len(mapping));
  append_entries(mapping, entries);
  return entries;
}

void PythonState::append_entries(nb::handle mapping, std::vector<FlatEntry>& out) {
  const auto append = [&](nb::handle key, nb::object value) {
    reader_.hold(nb::borrow(key));
    out.push_back({key_text(key), reader_.hold(std::move(value))});
  };
  if (!PyDict_CheckExact(mapping.ptr())) {
    for (const nb::handle item : checked(PyMapping_Items(mapping.ptr()))) append(nb::object(item[0]), item[1]);
    return;
  }
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(mapping.ptr(), &position, &key, &value)) append(key, nb::borrow(value));
}

std::string_view PythonState::key_text(nb::handle key) {
  if (!PyUnicode_Check(key.ptr())) {
    throw Error(ErrorKind::kInputType, "a flat dict's keys are str, found '" + class_name_of(key) + "'");
  }
  std::string storage;
  const std::string_view utf8 = view_utf8(key, storage);
  return storage.empty() ? utf8 : texts_.emplace_back(std::move(storage));
}

ObjectRef PythonState::restore_leaf(ObjectRef target, LeafRole role, ObjectRef value) {
  if (role == LeafRole::kPlain) return own_copy(value);
  if (object_of(value).is_none()) return nullptr;
  const FoundSerializer serializer = reader_.serializer(object_of(target));
  return reader_.hold(serializer->restore_leaf(object_of(target), object_of(value), copies_));
}

ObjectRef PythonState::restore_serialized(ObjectRef target, std::span<const FlatEntry> slice) {
  nb::dict relative;
  for (const FlatEntry& entry : slice) {
    relative[text_object(entry.key)] = object_of(own_copy(entry.value));
  }
  return reader_.hold(reader_.serializer(object_of(target))->load(object_of(target), relative));
}

ObjectRef PythonState::own_copy(ObjectRef value) {
  if (!copies_ || reader_.object_class(object_of(value)) == ObjectClass::kPlain) return value;
  Copier copier(*this);
  return tree::walk(reader_, value, tree::PathStyle::kBracketed, copier);
}

ObjectRef PythonState::rebuild(ObjectRef target, NodeKind kind, std::span<const Child> children) {
  const nb::handle original = object_of(target);
  std::vector<NewChild> made;
  made.reserve(children.size());
  for (const Child& child : children) {
    made.push_back({nb::borrow(object_of(child.key_object)), nb::borrow(object_of(child.object))});
  }
  return reader_.hold(kind == NodeKind::kRecord ? constructed_like(original, constructor_parameters(original.type()), made)
                                                : object_like(original, kind, made));
}

nb::handle PythonState::constructor_parameters(nb::handle type) {
  nb::object& known = parameters_[type.ptr()];
  if (!known.is_valid()) known = (*constructor_fields)(type);
  return known;
}

}  // namespace perdure::python
