#pragma once
// Orbax's words in `_METADATA` for what stands at a key path: one row each in value_type.cc.
#include <string_view>

#include "perdure/base/object.h"

namespace perdure::checkpoint {

namespace value_types {
inline constexpr std::string_view kNumpyArray = "np.ndarray";
inline constexpr std::string_view kJaxArray = "jax.Array";
inline constexpr std::string_view kScalar = "scalar";
inline constexpr std::string_view kString = "string";
inline constexpr std::string_view kNone = "None";
}  // namespace value_types

enum class ValueClass {
  kArray,
  kNumber,          // a Python number, stored as an array of rank 0
  kText,            // in _strings.json
  kNone,            // nothing is stored
  kEmptyContainer,  // nothing is stored
};

struct ValueType {
  std::string_view name;
  ValueClass value_class;
  std::string_view origin = {};          // kArray, kNumber: ArrayLeaf::origin of what a foreign writer stored so
  NodeKind container = NodeKind::kLeaf;  // kEmptyContainer
};

/// nullptr for a word that perdure does not know.
const ValueType* find_value_type(std::string_view name);
/// Value type of an empty container: "Dict", "List", "Tuple", "NamedTuple".
std::string_view empty_value_type(NodeKind container);

}  // namespace perdure::checkpoint
