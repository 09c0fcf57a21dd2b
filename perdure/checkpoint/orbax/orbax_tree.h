#pragma once
// The tree of an item that perdure did not write: containers and leaves from what `_METADATA` says about key paths.
//
// Without rich types a tuple was recorded as a sequence and a named tuple as a mapping; that is what comes back.
#include <cstdint>
#include <vector>

#include "perdure/base/leaf.h"
#include "perdure/checkpoint/orbax/tree_metadata.h"
#include "perdure/tree/structure.h"

namespace perdure::checkpoint {

struct OrbaxTree {
  tree::Structure structure;
  std::vector<std::uint32_t> entry_of_leaf;  // index into TreeMetadata::entries, by leaf index
};

/// Containers come in the order of the entries, positions of sequences in their own. Empty containers are nodes, None is a leaf.
/// Throws kCorrupt, naming the key path, for paths that no tree can have: twice the same, below a leaf, gaps in a sequence.
OrbaxTree build_orbax_tree(const TreeMetadata& metadata);

}  // namespace perdure::checkpoint
