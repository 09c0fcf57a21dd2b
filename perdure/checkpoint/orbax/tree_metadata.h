#pragma once
// Orbax's `_METADATA`: the leaves of an item and how they are stored (docs/design/orbax.md).
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/base/json.h"
#include "perdure/base/shape.h"

namespace perdure::checkpoint {

/// One entry of tree_metadata.
struct TreeMetadataEntry {
  enum class KeyType : std::uint8_t { kSequence = 1, kMapping = 2 };
  struct PathKey {
    std::string key;
    KeyType type = KeyType::kMapping;
  };
  std::vector<PathKey> path;
  std::string value_type;            // value_type.h
  std::optional<Shape> write_shape;  // jax.Array only

  bool is_empty_value() const;  // None and the empty containers: nothing is stored
  std::string name() const;     // keys joined with '.'
};

/// _METADATA.
struct TreeMetadata {
  std::vector<TreeMetadataEntry> entries;
  std::optional<bool> use_ocdbt;  // absent: decided by the presence of manifest.ocdbt
  bool use_zarr3 = false;
  json::Value custom_metadata;
  std::optional<json::Value> value_metadata_tree;  // rich types: containers by class
  std::vector<std::string> private_files;          // of "perdure"; empty for a foreign item
  bool is_ours = false;                            // has the key "perdure"
};
std::string encode_tree_metadata(const TreeMetadata& metadata);
TreeMetadata parse_tree_metadata(std::string_view text);

}  // namespace perdure::checkpoint
