#pragma once
// C++ objects as trees of save and load. An object with a serializer is a mapping: its relative dict.
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "perdure/base/object.h"
#include "perdure/tree/flatten.h"
#include "perdure/tree/object/assignments.h"
#include "perdure/tree/object/objects.h"
#include "perdure/tree/value.h"

namespace perdure::tree {

/// For one thread. An ObjectRef is a node of Objects, or a Value in a relative dict.
class TypedReader final : public ObjectReader {
 public:
  explicit TypedReader(const ObjectRegistry& registry) : objects_(registry) {}
  ObjectRef root(Slot slot) { return objects_.root(slot); }

  NodeKind kind(ObjectRef object) override;
  void append_children(ObjectRef object, NodeKind kind, std::vector<Child>& out) override;
  TypeName type_name(ObjectRef object) override;
  Leaf leaf(ObjectRef object) override;

  // Restoring; nothing changes before commit().
  LeafTemplate asked_for(ObjectRef leaf);
  /// Throws kMismatch for a value that does not fit. True if it had to change to fit.
  bool restore(ObjectRef leaf, Leaf value);
  /// Calls the serializers of `flat`'s objects with their relative dicts, now that these have their values.
  void restore_handled(const FlatObjects& flat);
  void commit() { assignments_.run(); }

 private:
  bool is_value(ObjectRef object) const { return !values_.empty() && values_.contains(object); }
  bool is_handled(ObjectRef object) { return !is_value(object) && objects_.serializer(object) != nullptr; }
  const Value& relative(ObjectRef handled);
  Value restored(const Value& relative) const;

  Objects objects_;
  ValueReader value_reader_;
  std::unordered_map<ObjectRef, Value> relative_;  // of the handled objects
  std::unordered_set<ObjectRef> values_;           // in relative dicts
  std::unordered_map<ObjectRef, Leaf> restored_;   // of values_
  Assignments assignments_;
};

}  // namespace perdure::tree
