#pragma once
// What the rules of the flat dict (state_dict.h) need to know of a host's objects, beside what every walk asks (base/object.h).
//
// Dispatch is the same in every host: a type that is registered (type_registry.h), itself or through the nearest base, is a leaf
// whatever it looks like; then the containers; all else is a leaf too, with one of the roles below. The rules, the key grammar and the
// errors are the engine's; a host calls serializers, copies values and builds containers.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/base/object.h"
#include "perdure/base/scalar.h"
#include "perdure/tree/flat_index.h"

namespace perdure::tree {

enum class LeafRole : std::uint8_t {
  kPlain,       // written as it is; restored as whatever the flat dict holds
  kArray,       // copied; restored with the template's shape, dtype and device
  kSerialized,  // its serializer writes any number of keys below the leaf's own
  kUnknown,     // refused
};
/// What a value is that nobody has registered, in every host.
LeafRole role_of(ScalarKind kind);
LeafRole role_of(const Leaf& leaf);

/// All that it hands out stays valid until it is destroyed. For one thread.
class StateHost : public ObjectReader {
 public:
  virtual LeafRole role(ObjectRef leaf) = 0;
  /// "set": what errors call the type.
  virtual std::string type_text(ObjectRef object) = 0;

  // Saving.
  /// The value of a kPlain or kArray leaf: nothing that later changes of the leaf would change.
  virtual ObjectRef save_leaf(ObjectRef leaf, LeafRole role) = 0;
  /// Appends the relative dict of a kSerialized leaf.
  virtual void save_serialized(ObjectRef leaf, std::vector<FlatEntry>& out) = 0;
  /// Adds an item to the flat dict; false if it has the key.
  virtual bool put(std::string_view key, ObjectRef value) = 0;

  // Restoring. `target` belongs to the template and is not changed.
  /// The leaf that `value` becomes; nullptr if that counts as missing: None, for an array. Throws kMismatch for another shape.
  virtual ObjectRef restore_leaf(ObjectRef target, LeafRole role, ObjectRef value) = 0;
  /// What the serializer makes of the relative dict; it is called for an empty one too.
  virtual ObjectRef restore_serialized(ObjectRef target, std::span<const FlatEntry> slice) = 0;
  /// A container like `target` with other children; these are in the order and number of append_children.
  virtual ObjectRef rebuild(ObjectRef target, NodeKind kind, std::span<const Child> children) = 0;
};

}  // namespace perdure::tree
