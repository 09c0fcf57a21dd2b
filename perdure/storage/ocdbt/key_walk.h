#pragma once
// Down the B+tree: to one key, or along all keys with a prefix. Without recursion: each step goes down one height.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/storage/ocdbt/node_store.h"

namespace perdure::storage::ocdbt {

struct FoundEntry {
  std::shared_ptr<const LoadedNode> leaf;
  std::size_t index = 0;
};
std::optional<FoundEntry> find_entry(NodeStore& nodes, const NodeLocation& root, std::string_view key);

/// All keys that start with `prefix`, sorted. Throws kCorrupt if the keys of neighbouring nodes overlap, and for far more keys
/// than the files can hold: one node may be referred to many times.
std::vector<std::string> list_keys(NodeStore& nodes, const NodeLocation& root, std::string_view prefix);

}  // namespace perdure::storage::ocdbt
