#include "perdure/tree/object/state.h"

#include "perdure/base/error.h"
#include "perdure/tree/object/fit.h"

namespace perdure::tree {
namespace {

const Value& value_of(ObjectRef value) { return *static_cast<const Value*>(value); }

}  // namespace

Leaf ObjectStateHost::leaf(ObjectRef object) {
  const Slot& holder = objects_.holder(object);
  return holder.type->read(holder.address);
}

LeafRole ObjectStateHost::role(ObjectRef ref) {
  if (objects_.serializer(ref)) return LeafRole::kSerialized;
  return objects_.object(ref).type->is_known() ? role_of(leaf(ref)) : LeafRole::kUnknown;
}

ObjectRef ObjectStateHost::save_leaf(ObjectRef ref, LeafRole) {
  Leaf value = leaf(ref);
  if (auto* array = std::get_if<ArrayLeaf>(&value)) value = copy_of(*array);
  return &values_.emplace_back(std::move(value));
}

void ObjectStateHost::save_serialized(ObjectRef ref, std::vector<FlatEntry>& out) {
  const Value& relative = values_.emplace_back(objects_.save(ref, *objects_.serializer(ref)));
  for (const Value::Item& item : relative.items()) {
    const auto* key = std::get_if<Text>(&item.key.value);
    if (key == nullptr) throw Error(ErrorKind::kInputType, "a serializer's key is not text: " + item.key.repr());
    out.push_back({key->utf8, &item.value});
  }
}

bool ObjectStateHost::put(std::string_view key, ObjectRef value) {
  if (!keys_.emplace(key).second) return false;
  flat_.push_back({Key(key), value_of(value)});
  return true;
}

ObjectRef ObjectStateHost::restore_leaf(ObjectRef target, LeafRole role, ObjectRef value) {
  const Slot& holder = objects_.holder(target);
  if (value_of(value).kind() != NodeKind::kLeaf) {
    throw Error(ErrorKind::kMismatch, "a container in the checkpoint, a '" + holder.type->name() + "' in the template");
  }
  const Leaf leaf = value_of(value).as_leaf();
  if (role == LeafRole::kArray && is_none(leaf) && !holder.type->asked_for(holder.address).or_none) return nullptr;
  assignments_.add(target, leaf, holder);
  return target;
}

ObjectRef ObjectStateHost::restore_serialized(ObjectRef target, std::span<const FlatEntry> slice) {
  Value::Items items;
  for (const FlatEntry& entry : slice) items.push_back({Key(entry.key), value_of(entry.value)});
  assignments_.add(objects_.load(target, *objects_.serializer(target), Value::dict(std::move(items))));
  return target;
}

}  // namespace perdure::tree
