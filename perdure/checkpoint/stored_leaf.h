#pragma once
// How each kind of leaf is stored so that Orbax's readers see as much of it as they can: value type, and array or text.
//
// The item document keeps every scalar exactly; what is written here is for foreign readers. To add a kind of scalar: a row
// of the visitor in stored_leaf.cc, a line in stored_leaf_test.cc.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "perdure/base/leaf.h"
#include "perdure/tree/structure.h"

namespace perdure::checkpoint {

struct StoredLeafForm {
  std::string_view value_type;  // of _METADATA: "np.ndarray", "jax.Array", "scalar", "string", "None"
  std::optional<std::string_view> text;         // of a "string"; borrowed from the leaf
  // What is stored as an array although it was none: rank 0 in `scalar_bytes`, or bytes (rank 1) borrowed from the leaf.
  std::optional<DType> array_dtype;
  std::array<std::byte, 16> scalar_bytes{};
  std::optional<ByteView> array_bytes;
};

StoredLeafForm stored_form(const Scalar& scalar);

/// Value type of an array, by its origin.
bool is_jax_origin(std::string_view origin);
/// "threefry2x32" of "jax.key:threefry2x32"; nullopt for an array that is no typed key.
std::optional<std::string_view> random_key_impl(std::string_view origin);

/// Value type of an empty container: "Dict", "List", "Tuple", "NamedTuple".
std::string_view empty_value_type(NodeKind kind);

}  // namespace perdure::checkpoint
