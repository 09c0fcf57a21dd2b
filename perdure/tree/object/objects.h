#pragma once
// Live C++ objects as the nodes of a walk: an ObjectRef is a place, with what its type says of it.
//
// Wrappers have no node: what they stand for takes their place. What is reached through a pointer is one node however often it is
// reached, with all that lies in it: that is how shared objects stay shared, and how cycles are found.
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "perdure/base/object.h"
#include "perdure/tree/object/registry.h"
#include "perdure/tree/object/type_order.h"

namespace perdure::tree {

/// For one thread. Borrows the objects and the registry.
class Objects {
 public:
  using Serializer = TypeRegistry<ObjectSerializer>::Found;

  explicit Objects(const ObjectRegistry& registry) : registry_(registry) {}

  ObjectRef root(Slot slot) { return node(slot, true); }
  NodeKind kind(ObjectRef ref);
  void append_children(ObjectRef ref, std::vector<Child>& out);
  TypeName type_name(ObjectRef ref) const { return object(ref).type->class_name(); }

  /// The leaf, or the outermost optional or variant that holds it: what reads, asks and stages.
  const Slot& holder(ObjectRef ref) const { return node_at(ref).holder; }
  /// What remains without wrappers; an empty wrapper itself.
  const Slot& object(ObjectRef ref) const { return node_at(ref).object; }

  /// Of the object's type or its nearest base that has one; null if none has. The same for all objects of a type, whatever is
  /// registered meanwhile.
  Serializer serializer(ObjectRef ref) { return dispatch(*object(ref).type).serializer; }
  Value save(ObjectRef ref, const ObjectSerializer& serializer);
  Staged load(ObjectRef ref, const ObjectSerializer& serializer, const Value& relative);

 private:
  struct Node {
    Slot holder;
    Slot object;
    bool is_empty = false;  // a wrapper that holds nothing
    bool is_open = false;   // has been asked for its children, which are the same next time
    std::vector<const Node*> children;
  };
  struct Dispatch {
    std::vector<OrderedBase> order;
    Serializer serializer;
    std::size_t serialized_as = 0;  // which of the order has the serializer
  };

  static const Node& node_at(ObjectRef ref) { return *static_cast<const Node*>(ref); }
  const Node* node(Slot slot, bool is_pointee);
  const Dispatch& dispatch(const ObjectType& type);
  void append_items(const Slot& object, std::vector<SlotItem>& out);

  const ObjectRegistry& registry_;
  std::deque<Node> nodes_;
  std::map<std::pair<const void*, const ObjectType*>, const Node*> pointees_;
  std::unordered_map<const ObjectType*, Dispatch> dispatch_;
  std::vector<SlotItem> items_;
};

}  // namespace perdure::tree
