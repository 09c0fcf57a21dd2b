#pragma once
// From an object to its structure and leaves, and back.
//
// flatten walks (walk.h) what an ObjectReader (base/object.h) answers for, and remembers where each leaf came from; read_leaves then asks for their values,
// so that a caller may look at the structure, or at the objects, before any memory is touched. build goes back: leaves first,
// containers when all their children are there. None of it recurses: 100,000 levels work.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "perdure/base/object.h"
#include "perdure/tree/structure.h"
#include "perdure/tree/walk.h"

namespace perdure::tree {

struct FlatObjects {
  Structure structure;
  std::vector<ObjectRef> objects;  // of each node of the structure; leaf i is objects[leaf_positions[i]]
  std::vector<std::uint32_t> leaf_positions;

  ObjectRef leaf(std::size_t index) const { return objects[leaf_positions[index]]; }
};

/// Throws kInputType naming the key path: for a cycle, for a mapping key that is not plain, beyond 1,000,000 levels.
FlatObjects flatten(ObjectReader& reader, ObjectRef root);

/// The values of the leaves. Throws kInputType "cannot save 'set' at 'aux.records.0'".
std::vector<Leaf> read_leaves(ObjectReader& reader, const FlatObjects& flat);

/// flatten and read_leaves.
FlatTree flatten_tree(ObjectReader& reader, ObjectRef root);

/// A node that has been built.
template <class Object>
struct Built {
  std::size_t position = 0;  // of the node in the structure
  Object object;
};

/// Builds the object of a whole structure, which must have a root. `make_leaf(position)` and
/// `make_container(position, std::span<Built<Object>> children)` give an Object; children come in order and may be moved from.
/// Leaves are asked for from the last to the first.
template <class Object, class MakeLeaf, class MakeContainer>
Object build(const Structure& structure, MakeLeaf&& make_leaf, MakeContainer&& make_container) {
  std::vector<Built<Object>> built;  // the children of a node lie on top, the first one uppermost
  for (std::size_t position = structure.nodes().size(); position-- > 0;) {
    const Node& node = structure.nodes()[position];
    if (node.kind == NodeKind::kLeaf) {
      built.push_back({position, make_leaf(position)});
      continue;
    }
    const auto children = std::span(built).last(node.child_count);
    std::reverse(children.begin(), children.end());
    Object object = make_container(position, children);
    built.erase(built.end() - node.child_count, built.end());
    built.push_back({position, std::move(object)});
  }
  return std::move(built.back().object);
}

}  // namespace perdure::tree
