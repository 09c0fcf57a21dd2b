#pragma once
// C++ types as the walk sees them: one ObjectType for each, made by the compiler from the type (models.h) and its description.
//
// A type is a leaf (numbers, text, arrays), a container (records, lists, tuples, mappings), or a wrapper that stands for
// another object or for none (optional, variant, pointers) and has no key of its own.
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "perdure/base/object.h"
#include "perdure/tree/leaf_template.h"

namespace perdure::tree {

class ObjectType;
class ObjectTypes;

/// A place in the program's memory with an object of that type. Borrowed.
struct Slot {
  void* address = nullptr;
  const ObjectType* type = nullptr;
};
struct SlotItem {
  Key key;
  Slot slot;
};

/// What a wrapper stands for.
struct Target {
  std::optional<Slot> slot;  // nullopt: nothing, which is a leaf, None
  bool is_pointee = false;   // lives outside of the wrapper: others may stand for it too
};

/// A value that fits its place and waits for all others to fit theirs.
struct Staged {
  std::function<void()> assign;  // does not throw
  bool lossy = false;            // the value had to change to fit
};

struct BaseLink {
  const ObjectType* type;
  void* (*upcast)(void* derived);
};

/// As C++ spells it: "trainer::Adam".
std::string type_text(const std::type_info& id);

/// Immutable, one for each C++ type; its address names the type.
class ObjectType {
 public:
  virtual const std::type_info& id() const = 0;
  std::string name() const { return type_text(id()); }

  virtual NodeKind kind() const { return NodeKind::kLeaf; }
  /// False: only a registered serializer can handle it.
  virtual bool is_known() const { return true; }

  // Records and opaque types.
  virtual TypeName class_name() const { return {}; }
  virtual std::vector<BaseLink> bases() const { return {}; }
  virtual void append_own_fields(void* /*object*/, std::vector<SlotItem>& /*out*/) const {}

  // Containers.
  virtual void append_children(void* object, std::vector<SlotItem>& out) const;

  // Wrappers.
  virtual bool is_wrapper() const { return false; }
  /// Throws kInputType for a polymorphic object of a type that `types` does not know.
  virtual Target target(void* /*wrapper*/, const ObjectTypes& /*types*/) const { return {}; }

  // Leaves; a wrapper answers for the leaf that it holds.
  virtual Leaf read(const void* leaf) const;
  virtual LeafTemplate asked_for(const void* leaf) const;
  /// Where an array lies, if its elements have places of their own.
  virtual std::optional<ArraySpan> memory(void* /*leaf*/) const { return std::nullopt; }
  /// Throws kMismatch for a value that does not fit; nothing has changed then.
  virtual Staged stage(void* leaf, const Leaf& value) const;

 protected:
  ~ObjectType() = default;
};

/// For a serializer that makes a new object of the base `type`: a derived one cannot be made so. Throws kInputType.
[[noreturn]] void refuse_to_slice(const ObjectType& type);

/// "trainer.Adam" as module and class.
TypeName class_name_of(std::string_view dotted);

}  // namespace perdure::tree
