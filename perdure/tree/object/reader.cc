#include "perdure/tree/object/reader.h"

#include "perdure/base/error.h"
#include "perdure/tree/names.h"

namespace perdure::tree {

NodeKind SavedObjects::kind(ObjectRef object) {
  if (is_value(object)) return value_reader_.kind(object);
  return has_serializer(object) ? NodeKind::kMapping : objects_.kind(object);
}

void SavedObjects::append_children(ObjectRef object, NodeKind kind, std::vector<Child>& out) {
  const std::size_t first = out.size();
  if (has_serializer(object)) {
    value_reader_.append_children(&relative(object), kind, out);
  } else if (is_value(object)) {
    value_reader_.append_children(object, kind, out);
  } else {
    return objects_.append_children(object, out);
  }
  for (std::size_t i = first; i < out.size(); ++i) values_.insert(out[i].object);
}

TypeName SavedObjects::type_name(ObjectRef object) {
  if (is_value(object)) return value_reader_.type_name(object);
  return has_serializer(object) ? TypeName{} : objects_.type_name(object);
}

Leaf SavedObjects::leaf(ObjectRef object) {
  if (is_value(object)) return value_reader_.leaf(object);
  const Slot& holder = objects_.holder(object);
  return holder.type->read(holder.address);
}

const Value& SavedObjects::relative(ObjectRef object) {
  const auto known = relative_.find(object);
  if (known != relative_.end()) return known->second;
  return relative_.emplace(object, objects_.save(object, *objects_.serializer(object))).first->second;
}

Leaf TemplateObjects::leaf(ObjectRef object) {
  const Slot& holder = objects_.holder(object);
  return holder.type->read(holder.address);
}

LeafTemplate TemplateObjects::asked_for(ObjectRef leaf) {
  const Slot& holder = objects_.holder(leaf);
  LeafTemplate wanted = holder.type->asked_for(holder.address);
  const bool has_memory = wanted.kind == LeafTemplate::Kind::kArray && !wanted.any_shape;
  if (in_place_ && has_memory && asked_in_place_.insert(leaf).second) wanted.target = holder.type->memory(holder.address);
  return wanted;
}

void TemplateObjects::restore_serialized(const FlatObjects& flat, std::span<const Leaf> leaves) {
  const Structure& structure = flat.structure;
  const std::vector<Node>& nodes = structure.nodes();
  build<Value>(
      structure,
      [&](std::size_t position) {
        return flat.objects[position] == nullptr ? Value(leaves[nodes[position].leaf_index]) : Value();
      },
      [&](std::size_t position, std::span<Built<Value>> children) {
        const ObjectRef object = flat.objects[position];
        if (object != nullptr && !has_serializer(object)) return Value();
        Value::Items items;
        for (Built<Value>& child : children) items.push_back({nodes[child.position].key, std::move(child.object)});
        Value value = Value::container(nodes[position].kind, structure.types()[nodes[position].type_index], std::move(items));
        if (object != nullptr) load(flat, position, value);
        return value;
      });
}

void TemplateObjects::load(const FlatObjects& flat, std::size_t position, const Value& relative) {
  const ObjectRef object = flat.objects[position];
  with_note([&] { return "while restoring '" + dotted_at(flat.structure, position) + "'"; },
            [&] { assignments_.add(objects_.load(object, *objects_.serializer(object), relative)); });
}

}  // namespace perdure::tree
