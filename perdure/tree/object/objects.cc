#include "perdure/tree/object/objects.h"

#include "perdure/base/error.h"

namespace perdure::tree {

const Objects::Node* Objects::node(Slot slot, bool is_pointee) {
  Node made{slot, slot, false, false, {}};
  while (made.object.type->is_wrapper()) {
    const Target target = made.object.type->target(made.object.address, registry_.types);
    if (!target.slot) {
      made.is_empty = true;
      break;
    }
    made.object = *target.slot;
    if (!target.is_pointee) continue;
    made.holder = made.object;
    is_pointee = true;
  }
  if (!is_pointee) return &nodes_.emplace_back(std::move(made));
  const Node*& known = pointees_[{made.holder.address, made.holder.type}];
  if (known == nullptr) known = &nodes_.emplace_back(std::move(made));
  return known;
}

NodeKind Objects::kind(ObjectRef ref) {
  const Node& node = node_at(ref);
  return node.is_empty || serializer(ref) ? NodeKind::kLeaf : node.object.type->kind();
}

void Objects::append_children(ObjectRef ref, std::vector<Child>& out) {
  Node& parent = const_cast<Node&>(node_at(ref));  // ours
  items_.clear();
  append_items(parent.object, items_);
  if (!parent.is_open) {
    parent.children.reserve(items_.size());
    for (const SlotItem& item : items_) parent.children.push_back(node(item.slot, false));
    parent.is_open = true;
  }
  for (std::size_t i = 0; i < items_.size(); ++i) out.push_back({std::move(items_[i].key), parent.children[i]});
}

void Objects::append_items(const Slot& object, std::vector<SlotItem>& out) {
  if (object.type->kind() != NodeKind::kRecord) return object.type->append_children(object.address, out);
  const std::vector<OrderedBase>& order = dispatch(*object.type).order;
  // As fields of Python's dataclasses: those of bases come first.
  for (auto base = order.rbegin(); base != order.rend(); ++base) {
    base->type->append_own_fields(base->part_of(object.address), out);
  }
}

const Objects::Dispatch& Objects::dispatch(const ObjectType& type) {
  Dispatch& known = dispatch_[&type];
  if (!known.order.empty()) return known;
  known.order = type_order(type);
  for (std::size_t i = 0; i < known.order.size() && !known.serializer; ++i) {
    known.serializer = registry_.serializers.find(known.order[i].type);
    known.serialized_as = i;
  }
  return known;
}

Value Objects::save(ObjectRef ref, const ObjectSerializer& serializer) {
  if (!serializer.save) return Value::dict({});
  const Slot& slot = object(ref);
  const Dispatch& known = dispatch(*slot.type);
  Value relative = serializer.save(known.order[known.serialized_as].part_of(slot.address));
  if (relative.kind() != NodeKind::kMapping) {
    throw Error(ErrorKind::kInputType, "the serializer of '" + slot.type->name() + "' did not give a dict");
  }
  return relative;
}

Staged Objects::load(ObjectRef ref, const ObjectSerializer& serializer, const Value& relative) {
  if (!serializer.load) return {[] {}};
  const Slot& slot = object(ref);
  const Dispatch& known = dispatch(*slot.type);
  return serializer.load(known.order[known.serialized_as].part_of(slot.address), known.serialized_as == 0, relative);
}

}  // namespace perdure::tree
