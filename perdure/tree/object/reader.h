#pragma once
// C++ objects as trees of save and load. What is saved of an object with a serializer is a mapping, its relative dict; a template has a
// leaf there, which takes whatever is stored (tree/graft.h).
#include <span>
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
class SavedObjects final : public ObjectReader {
 public:
  explicit SavedObjects(const ObjectRegistry& registry) : objects_(registry) {}
  ObjectRef root(Slot slot) { return objects_.root(slot); }
  /// Where the object lies, without wrappers; nullptr for a Value in a relative dict.
  const Slot* find_slot(ObjectRef object) const { return is_value(object) ? nullptr : &objects_.object(object); }

  NodeKind kind(ObjectRef object) override;
  void append_children(ObjectRef object, NodeKind kind, std::vector<Child>& out) override;
  TypeName type_name(ObjectRef object) override;
  Leaf leaf(ObjectRef object) override;

 private:
  bool is_value(ObjectRef object) const { return !values_.empty() && values_.contains(object); }
  bool has_serializer(ObjectRef object) { return !is_value(object) && objects_.serializer(object) != nullptr; }
  const Value& relative(ObjectRef object);

  Objects objects_;
  ValueReader value_reader_;
  std::unordered_map<ObjectRef, Value> relative_;  // of the objects with a serializer
  std::unordered_set<ObjectRef> values_;           // in relative dicts
};

/// For one thread. Nothing changes before commit(), but by serializers that fill objects in place.
class TemplateObjects final : public ObjectReader {
 public:
  /// `in_place`: asks for arrays in the memory that they have, so that they are restored once they have been read.
  explicit TemplateObjects(const ObjectRegistry& registry, bool in_place) : objects_(registry), in_place_(in_place) {}
  ObjectRef root(Slot slot) { return objects_.root(slot); }
  /// Where the object lies, without wrappers.
  const Slot* find_slot(ObjectRef object) const { return &objects_.object(object); }

  NodeKind kind(ObjectRef object) override { return objects_.kind(object); }
  void append_children(ObjectRef object, NodeKind, std::vector<Child>& out) override { objects_.append_children(object, out); }
  TypeName type_name(ObjectRef object) override { return objects_.type_name(object); }
  Leaf leaf(ObjectRef object) override;

  bool has_serializer(ObjectRef leaf) { return objects_.serializer(leaf) != nullptr; }
  LeafTemplate asked_for(ObjectRef leaf);
  /// Throws kMismatch for a value that does not fit. True if it had to change to fit.
  bool restore(ObjectRef leaf, const Leaf& value) { return assignments_.add(leaf, value, objects_.holder(leaf)); }
  /// Gives the serializers their relative dicts: the mappings in `flat` that stand for an object. Leaves that are no object's come from
  /// `leaves`, by leaf index.
  void restore_serialized(const FlatObjects& flat, std::span<const Leaf> leaves);
  void commit() { assignments_.run(); }

 private:
  void load(const FlatObjects& flat, std::size_t position, const Value& relative);

  Objects objects_;
  Assignments assignments_;
  const bool in_place_;
  std::unordered_set<ObjectRef> asked_in_place_;  // by the first of the key paths that share them
};

}  // namespace perdure::tree
