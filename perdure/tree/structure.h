#pragma once
// Containers without leaves: the shape of a training state, as one flat list in preorder.
//
// Flat, because a tree may be 100,000 levels deep and a million leaves wide: nothing here recurses.
// A Structure and its leaves (FlatTree) are what the layers above save and load.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "perdure/base/leaf.h"
#include "perdure/base/object.h"

namespace perdure::tree {

struct Node {
  NodeKind kind = NodeKind::kLeaf;
  Key key;                        // under its parent; None for the root
  std::uint32_t child_count = 0;  // the children follow, each with its whole subtree
  std::uint32_t leaf_index = 0;   // kLeaf: which leaf, counted in preorder
  std::uint32_t type_index = 0;   // into Structure::types(); 0 is the plain type of the kind

  bool operator==(const Node&) const = default;
};

class Structure {
 public:
  Structure() : types_(1) {}
  bool operator==(const Structure&) const = default;

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<TypeName>& types() const { return types_; }
  std::uint32_t leaf_count() const { return leaf_count_; }

  /// Appends in preorder. A kLeaf gets the next leaf index. Returns the node's position.
  std::size_t append(NodeKind kind, Key key, std::uint32_t type_index = 0);
  void set_type(std::size_t position, std::uint32_t type_index) { nodes_[position].type_index = type_index; }
  /// Sets how many children the node at `position` has, once that is known.
  void set_child_count(std::size_t position, std::uint32_t count) { nodes_[position].child_count = count; }
  /// Index of `type`, added if new. Throws kInvalid beyond 4096 types.
  std::uint32_t add_type(TypeName type);

 private:
  std::vector<Node> nodes_;
  std::vector<TypeName> types_;  // [0] is empty
  std::uint32_t leaf_count_ = 0;
};

/// For each leaf, the keys from the root to it. One step of the walk a call; the keys are valid until the next.
class LeafPaths {
 public:
  explicit LeafPaths(const Structure& structure);
  /// Moves to the next leaf or empty container; false at the end.
  bool next();
  const Node& node() const;
  /// Nodes from below the root to the current one; empty for a root that is a leaf.
  const std::vector<const Node*>& path() const { return path_; }
  /// How many nodes at the beginning of path() the last step has left alone.
  std::size_t kept() const { return kept_; }

 private:
  const Structure& structure_;
  std::size_t position_ = 0;
  std::size_t kept_ = 0;
  std::vector<const Node*> path_;
  std::vector<std::uint32_t> left_;  // children still to come, for each node on the path
};

/// A key path as people read it: "params.layers[3].weight" is spelled "params.layers.3.weight" by `dotted`.
std::string dotted(const std::vector<const Node*>& path);

struct FlatTree {
  Structure structure;
  std::vector<Leaf> leaves;  // leaves[node.leaf_index]
};

}  // namespace perdure::tree
