#include "perdure/tree/graft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/tree/names.h"
#include "perdure/tree/value.h"

namespace perdure::tree {
namespace {

using testing::ElementsAre;

/// The template with each leaf that is text grafted.
FlatObjects grafted(const Value& target, const Value& stored) {
  ValueReader reader;
  const FlatObjects flat = flatten(reader, &target);
  std::vector<bool> is_graft;
  for (std::size_t i = 0; i < flat.leaf_positions.size(); ++i) {
    const Leaf leaf = static_cast<const Value*>(flat.leaf(i))->as_leaf();
    is_graft.push_back(std::holds_alternative<Text>(std::get<Scalar>(leaf)));
  }
  return graft(flat, flatten(stored).structure, is_graft);
}

TEST(Graft, TakesWhateverIsStoredBelowTheLeaf) {
  const Value target = Value::dict({{"a", 1}, {"h", "serialized"}, {"z", 2}});
  const Value stored =
      Value::dict({{"z", 1}, {"h", Value::dict({{"x", 1}, {"y", Value::list({2, Value::dict({})})}})}, {"a", 3}});
  const FlatObjects flat = grafted(target, stored);
  EXPECT_THAT(leaf_names(flat.structure), ElementsAre("a", "h.x", "h.y.0", "z"));
  EXPECT_EQ(flat.objects.size(), flat.structure.nodes().size());
  EXPECT_EQ(flat.structure.nodes()[2].kind, NodeKind::kMapping);
  EXPECT_EQ(flat.objects[2], target.find("h"));
  EXPECT_EQ(flat.objects[3], nullptr);
  EXPECT_EQ(flat.leaf(3), target.find("z"));
  EXPECT_EQ(flat.structure.nodes()[4].kind, NodeKind::kList);
  EXPECT_EQ(flat.structure.nodes()[4].child_count, 2u);
}

TEST(Graft, AStoredLeafHasTheEmptyKey) {
  const FlatObjects flat = grafted(Value::dict({{"h", "serialized"}}), Value::dict({{"h", 5}}));
  EXPECT_THAT(leaf_names(flat.structure), ElementsAre("h."));
}

TEST(Graft, WhatIsNotStoredIsAnEmptyMapping) {
  const FlatObjects flat = grafted(Value::list({"serialized", 1}), Value::list({}));
  EXPECT_THAT(leaf_names(flat.structure), ElementsAre("1"));
  EXPECT_EQ(flat.structure.nodes()[1].kind, NodeKind::kMapping);
  EXPECT_EQ(flat.structure.nodes()[1].child_count, 0u);
}

TEST(Graft, TheRootMayBeGrafted) {
  const FlatObjects flat = grafted("serialized", Value::dict({{"a", 1}, {"b", Value::tuple({2})}}));
  EXPECT_THAT(leaf_names(flat.structure), ElementsAre("a", "b.0"));
}

TEST(Graft, FindsItsPlaceAHundredThousandLevelsDown) {
  Value target = "serialized", stored = Value::dict({{"x", 1}});
  for (int i = 0; i < 100'000; ++i) {
    target = Value::list({target});
    stored = Value::list({stored});
  }
  EXPECT_EQ(leaf_names(grafted(target, stored).structure).at(0).size(), 200'001u);
}

}  // namespace
}  // namespace perdure::tree
