#pragma once
// How the tree and recipes see objects: a host answers questions about an object and builds objects.
//
// The rules (walking, key grammar, restore policy) are written once against this interface. C++ values answer it from
// declarations (tree/value.h), Python objects from the live object (python/src/python_host.h).
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "perdure/base/leaf.h"

namespace perdure {

enum class NodeKind : std::uint8_t {
  kLeaf,
  kMapping,     // keys of any plain kind, in insertion order
  kList,        // positions
  kTuple,       // positions
  kNamedTuple,  // named fields, in order
  kRecord,      // named fields of a struct or dataclass, in order
};

inline bool has_positions(NodeKind kind) { return kind == NodeKind::kList || kind == NodeKind::kTuple; }

struct Key;
using KeyTuple = std::vector<Key>;
/// Tuples within tuples of a key, at most: keys are printed and compared by recursion.
inline constexpr std::size_t kKeyDepthMax = 64;

/// A plain hashable mapping key, a field name (Text) or a position (int64). BigInt: only what int64 cannot hold.
struct Key {
  using Value = std::variant<None, bool, std::int64_t, BigInt, double, Text, std::shared_ptr<const KeyTuple>>;
  Value value;

  Key() = default;
  Key(Value plain) : value(std::move(plain)) {}
  Key(std::same_as<bool> auto flag) : value(flag) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Key(T number) : value(static_cast<std::int64_t>(number)) {}
  Key(double number) : value(number) {}
  Key(Text text) : value(std::move(text)) {}
  Key(std::string text) : value(Text{std::move(text)}) {}
  Key(std::string_view text) : value(Text{std::string(text)}) {}
  Key(const char* text) : value(Text{text}) {}
  Key(KeyTuple keys) : value(std::make_shared<const KeyTuple>(std::move(keys))) {}

  bool operator==(const Key& other) const;  // tuples by content; double by bits; True is not 1
  /// As Python's str() prints the key: "w", "3", "True", "None", "('enc', 'w')".
  std::string str() const;
  /// As Python's repr() prints it: "'w'", "3".
  std::string repr() const;
};

/// Which class a named tuple or record is: "optax._src.transform", "ScaleByAdamState".
struct TypeName {
  std::string module;
  std::string qualname;
  bool operator==(const TypeName&) const = default;
};

/// A borrowed object of the host. Valid while the root it came from and the host that handed it out are. A container and what
/// lies in it never have one ObjectRef: that would be a cycle.
using ObjectRef = const void*;

/// One child of a container, as the host hands it over.
struct Child {
  Key key;
  ObjectRef object = nullptr;
  ObjectRef key_object = nullptr;  // the host's own key, if it wants it back when the container is built again
};

/// Walking: what are you, what are your children.
class ObjectReader {
 public:
  virtual ~ObjectReader() = default;
  virtual NodeKind kind(ObjectRef object) = 0;
  /// Appends the children of a container, in order. Throws kInputType for a mapping key that is not plain; the caller adds the
  /// key path.
  virtual void append_children(ObjectRef object, NodeKind kind, std::vector<Child>& out) = 0;
  /// The class of a kNamedTuple or kRecord, and of a mapping or sequence that is a subclass; empty for the plain ones.
  virtual TypeName type_name(ObjectRef object) = 0;
  /// The value of a leaf. Throws kInputType when it cannot be saved; the caller (tree/flatten.h) adds the key path.
  virtual Leaf leaf(ObjectRef object) = 0;
  /// Tells an exception that code of the host has thrown, and that is no Error, where it happened.
  virtual void add_note(const std::exception_ptr& /*thrown*/, const std::string& /*note*/) {}
};

}  // namespace perdure
