#include "perdure/tree/structure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace perdure::tree {
namespace {

using testing::ElementsAre;

/// {"w": leaf, "layers": [leaf, (), {"b": leaf}]}
Structure sample() {
  Structure structure;
  structure.set_child_count(structure.append(NodeKind::kMapping, Key()), 2);
  structure.append(NodeKind::kLeaf, "w");
  structure.set_child_count(structure.append(NodeKind::kList, "layers"), 3);
  structure.append(NodeKind::kLeaf, 0);
  structure.append(NodeKind::kTuple, 1);
  structure.set_child_count(structure.append(NodeKind::kMapping, 2), 1);
  structure.append(NodeKind::kLeaf, "b");
  return structure;
}

TEST(LeafPaths, VisitsLeavesAndEmptyContainersInOrder) {
  const Structure structure = sample();
  LeafPaths paths(structure);
  std::vector<std::string> names;
  std::vector<std::size_t> kept;
  while (paths.next()) {
    names.push_back(dotted(paths.path()));
    kept.push_back(paths.kept());
  }
  EXPECT_THAT(names, ElementsAre("w", "layers.0", "layers.1", "layers.2.b"));
  EXPECT_THAT(kept, ElementsAre(0u, 0u, 1u, 1u));
  EXPECT_FALSE(paths.next());
}

TEST(LeafPaths, ARootThatIsALeafHasAnEmptyPath) {
  Structure structure;
  structure.append(NodeKind::kLeaf, Key());
  LeafPaths paths(structure);
  ASSERT_TRUE(paths.next());
  EXPECT_TRUE(paths.path().empty());
  EXPECT_EQ(paths.node().kind, NodeKind::kLeaf);
  EXPECT_FALSE(paths.next());
}

}  // namespace
}  // namespace perdure::tree
