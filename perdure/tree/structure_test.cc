#include "perdure/tree/structure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "perdure/base/error.h"

namespace perdure::tree {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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

void expect_equal(const Structure& a, const Structure& b) {
  EXPECT_EQ(a.types(), b.types());
  EXPECT_EQ(a.leaf_count(), b.leaf_count());
  ASSERT_EQ(a.nodes().size(), b.nodes().size());
  for (std::size_t i = 0; i < a.nodes().size(); ++i) {
    SCOPED_TRACE(i);
    const Node &x = a.nodes()[i], &y = b.nodes()[i];
    EXPECT_EQ(x.kind, y.kind);
    EXPECT_TRUE(x.key == y.key) << x.key.repr() << " " << y.key.repr();
    EXPECT_EQ(x.child_count, y.child_count);
    EXPECT_EQ(x.leaf_index, y.leaf_index);
    EXPECT_EQ(x.type_index, y.type_index);
  }
}

Structure through_text(const Structure& structure) {
  return structure_from_json(json::parse(json::dump(to_json(structure))));
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

TEST(StructureJson, KeepsEveryKindOfKey) {
  const double payload = std::bit_cast<double>(0x7ff8'0000'dead'beefULL);
  const BigInt big{"-170141183460469231731687303715884105728"};
  const std::vector<Key> keys = {
      Key(), true, false, 1, std::numeric_limits<std::int64_t>::min(), Key::Value(big), -0.0, payload, 0.1,
      "", "1", "a.b", "\xed\xa0\xbd", "\xed\xa0\xbd\xed\xb8\x80", "\xf0\x9f\x98\x80", "\xff", std::string("\0x", 2),
      KeyTuple{"enc", KeyTuple{}, KeyTuple{1, 0.5}}};
  Structure structure;
  structure.set_child_count(structure.append(NodeKind::kMapping, Key()), static_cast<std::uint32_t>(keys.size()));
  for (const Key& key : keys) structure.append(NodeKind::kLeaf, key);
  expect_equal(through_text(structure), structure);
}

TEST(StructureJson, KeepsKindsCountsAndTypes) {
  Structure structure;
  const std::uint32_t adam = structure.add_type({"optax", "ScaleByAdamState"});
  structure.set_child_count(structure.append(NodeKind::kTuple, Key()), 3);
  structure.set_child_count(structure.append(NodeKind::kNamedTuple, 0, adam), 1);
  structure.append(NodeKind::kLeaf, "mu");
  structure.append(NodeKind::kNamedTuple, 1, structure.add_type({"optax", "EmptyState"}));
  structure.set_child_count(structure.append(NodeKind::kRecord, 2, structure.add_type({"optax", "ScaleByAdamState"})), 1);
  structure.append(NodeKind::kList, "history");
  expect_equal(through_text(structure), structure);
  expect_equal(through_text(sample()), sample());
}

TEST(StructureJson, IsAFewLettersForEachNode) {
  EXPECT_EQ(json::dump(to_json(sample())),
            R"({"kinds":"{.[.({.","counts":[2,3,0,1],"keys":["w","layers","b"],"types":[],"typed":[]})");
}

TEST(StructureJson, RefusesWhatIsNoTree) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"kinds":"","counts":[],"keys":[],"types":[],"typed":[]})", "nodes are missing"},
      {R"({"kinds":"{","counts":[1],"keys":[],"types":[],"typed":[]})", "more children than nodes"},
      {R"({"kinds":"{","counts":[18446744073709551615],"keys":[],"types":[],"typed":[]})", "more children than nodes"},
      {R"({"kinds":"{[..","counts":[2,2],"keys":["a"],"types":[],"typed":[]})", "nodes are missing"},
      {R"({"kinds":"{","counts":[],"keys":[],"types":[],"typed":[]})", "a count is missing"},
      {R"({"kinds":"{.","counts":[1],"keys":[],"types":[],"typed":[]})", "a key is missing"},
      {R"({"kinds":"..","counts":[],"keys":[],"types":[],"typed":[]})", "more nodes"},
      {R"({"kinds":".","counts":[0],"keys":[],"types":[],"typed":[]})", "more counts"},
      {R"({"kinds":".","counts":[],"keys":["a"],"types":[],"typed":[]})", "more counts or keys"},
      {R"({"kinds":"x","counts":[],"keys":[],"types":[],"typed":[]})", "unknown kind"},
      {R"({"kinds":"{.","counts":[1],"keys":[1.5],"types":[],"typed":[]})", "no integer"},
      {R"({"kinds":"{.","counts":[1],"keys":[{"float":"xyz"}],"types":[],"typed":[]})", "hexadecimal"},
      {R"({"kinds":"{.","counts":[1],"keys":[{"utf8":"abc"}],"types":[],"typed":[]})", "hexadecimal"},
      {R"({"kinds":"{.","counts":[1],"keys":[{}],"types":[],"typed":[]})", "utf8"},
      {R"({"kinds":"r.","counts":[1],"keys":[3],"types":[],"typed":[]})", "no text"},
      {R"({"kinds":".","counts":[],"keys":[],"types":[["m"]],"typed":[]})", "module and name"},
      {R"({"kinds":".","counts":[],"keys":[],"types":[["m","c"],["m","c"]],"typed":[]})", "twice"},
      {R"({"kinds":"r","counts":[0],"keys":[],"types":[["m","c"]],"typed":[[0,2]]})", "type of nothing"},
      {R"({"kinds":"r","counts":[0],"keys":[],"types":[["m","c"]],"typed":[[1,1]]})", "type of nothing"},
      {R"({"kinds":"r","counts":[0],"keys":[],"types":[["m","c"]],"typed":[[1]]})", "[position, type]"},
      {R"([])", "object"},
      {R"({})", "kinds"},
  };
  for (const auto& [text, message] : cases) {
    SCOPED_TRACE(text);
    try {
      structure_from_json(json::parse(text));
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
      EXPECT_THAT(error.message(), HasSubstr(message));
    }
  }
}

TEST(StructureJson, RefusesKeysOfManyLevels) {
  const std::string nested = std::string(200, '[') + std::string(200, ']');
  const std::string text = R"({"kinds":"{.","counts":[1],"keys":[)" + nested + R"(],"types":[],"typed":[]})";
  EXPECT_THROW(structure_from_json(json::parse(text)), Error);
}

TEST(StructureJson, CarriesAHundredThousandLevels) {
  Structure structure;
  for (int level = 0; level < 100'000; ++level) structure.set_child_count(structure.append(NodeKind::kList, 0), 1);
  structure.append(NodeKind::kLeaf, 0);
  EXPECT_EQ(through_text(structure).nodes().size(), 100'001u);
}

}  // namespace
}  // namespace perdure::tree
