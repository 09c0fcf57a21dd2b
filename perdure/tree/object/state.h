#pragma once
// C++ objects as host of the flat dict's rules (tree/state_dict.h). Restoring is in two steps: every value is made to fit, then all
// take their places, so that an object is never half restored.
#include <deque>
#include <string>
#include <unordered_set>
#include <vector>

#include "perdure/tree/object/assignments.h"
#include "perdure/tree/object/objects.h"
#include "perdure/tree/state_host.h"
#include "perdure/tree/value.h"

namespace perdure::tree {

class ObjectStateHost final : public StateHost {
 public:
  explicit ObjectStateHost(const ObjectRegistry& registry) : objects_(registry) {}

  ObjectRef root(Slot slot) { return objects_.root(slot); }
  Value take_flat() { return Value::dict(std::move(flat_)); }
  /// Puts everything that was restored into its place.
  void commit() { assignments_.run(); }

  NodeKind kind(ObjectRef object) override { return objects_.kind(object); }
  void append_children(ObjectRef object, NodeKind, std::vector<Child>& out) override { objects_.append_children(object, out); }
  TypeName type_name(ObjectRef object) override { return objects_.type_name(object); }
  Leaf leaf(ObjectRef object) override;
  LeafRole role(ObjectRef leaf) override;
  std::string type_text(ObjectRef object) override { return objects_.object(object).type->name(); }
  ObjectRef save_leaf(ObjectRef leaf, LeafRole role) override;
  void save_serialized(ObjectRef leaf, std::vector<FlatEntry>& out) override;
  bool put(std::string_view key, ObjectRef value) override;
  ObjectRef restore_leaf(ObjectRef target, LeafRole role, ObjectRef value) override;
  ObjectRef restore_serialized(ObjectRef target, std::span<const FlatEntry> slice) override;
  ObjectRef rebuild(ObjectRef target, NodeKind, std::span<const Child>) override { return target; }

 private:
  Objects objects_;
  std::deque<Value> values_;  // handed out
  Value::Items flat_;
  std::unordered_set<std::string> keys_;
  Assignments assignments_;
};

}  // namespace perdure::tree
