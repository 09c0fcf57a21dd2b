#pragma once
// The tree of an item that Orbax wrote with rich types: `value_metadata_tree` names tuples and the classes of named tuples.
#include "perdure/checkpoint/orbax/orbax_tree.h"

namespace perdure::checkpoint {

/// Throws kCorrupt when value_metadata_tree and tree_metadata do not hold the same leaves.
OrbaxTree build_rich_tree(const TreeMetadata& metadata);

/// Appends the node of one entry: a leaf or an empty container.
void append_entry(OrbaxTree& tree, const TreeMetadata& metadata, std::uint32_t entry, Key key);

}  // namespace perdure::checkpoint
