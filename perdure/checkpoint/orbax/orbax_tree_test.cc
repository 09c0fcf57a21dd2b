#include "perdure/checkpoint/orbax/orbax_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"

namespace perdure::checkpoint {
namespace {

using KeyType = TreeMetadataEntry::KeyType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TreeMetadataEntry entry(std::vector<TreeMetadataEntry::PathKey> path, std::string value_type = "np.ndarray") {
  return {.path = std::move(path), .value_type = std::move(value_type), .write_shape = {}};
}

TreeMetadataEntry::PathKey at(int index) { return {std::to_string(index), KeyType::kSequence}; }

/// The nodes in preorder: "{" mapping, "[" list, "(" tuple, "n" named tuple, "." leaf, each behind its key.
std::vector<std::string> spelled(const OrbaxTree& tree) {
  std::vector<std::string> nodes;
  for (const tree::Node& node : tree.structure.nodes()) {
    const std::string kind = node.kind == NodeKind::kLeaf      ? "."
                             : node.kind == NodeKind::kMapping ? "{"
                             : node.kind == NodeKind::kList    ? "["
                             : node.kind == NodeKind::kTuple   ? "("
                                                               : "n";
    nodes.push_back(node.key.str() + kind + (node.child_count > 0 ? std::to_string(node.child_count) : ""));
  }
  return nodes;
}

std::vector<std::string> spelled(std::vector<TreeMetadataEntry> entries) {
  TreeMetadata metadata;
  metadata.entries = std::move(entries);
  return spelled(build_orbax_tree(metadata));
}

std::string error_of(std::vector<TreeMetadataEntry> entries) {
  try {
    spelled(std::move(entries));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
    return error.what();
  }
  return "";
}

TEST(OrbaxTree, BuildsContainersFromKeyPaths) {
  EXPECT_THAT(spelled({entry({{"b"}, at(0)}), entry({{"b"}, at(1)}), entry({{"a"}, {"x"}})}),
              ElementsAre("None{2", "b[2", "0.", "1.", "a{1", "x."));
}

TEST(OrbaxTree, PutsSequencesInTheOrderOfTheirIndices) {
  std::vector<TreeMetadataEntry> entries;
  for (const int index : {0, 1, 10, 2, 3, 4, 5, 6, 7, 8, 9}) entries.push_back(entry({at(index)}));
  TreeMetadata metadata;
  metadata.entries = std::move(entries);
  EXPECT_THAT(build_orbax_tree(metadata).entry_of_leaf, ElementsAre(0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 2));
}

TEST(OrbaxTree, KeepsEmptyContainersAndNone) {
  EXPECT_THAT(spelled({entry({{"d"}}, "Dict"), entry({{"l"}}, "List"), entry({{"t"}}, "Tuple"), entry({{"n"}}, "None")}),
              ElementsAre("None{4", "d{", "l[", "t(", "n."));
}

TEST(OrbaxTree, TakesABareLeafAndAnEmptyTree) {
  EXPECT_THAT(spelled({entry({})}), ElementsAre("None."));
  EXPECT_THAT(spelled(std::vector<TreeMetadataEntry>{}), ElementsAre("None{"));
}

TEST(OrbaxTree, RefusesPathsThatNoTreeCanHave) {
  EXPECT_THAT(error_of({entry({{"a"}}), entry({{"a"}})}), HasSubstr("'a' in _METADATA occurs twice"));
  EXPECT_THAT(error_of({entry({{"a"}}), entry({{"a"}, {"b"}})}), HasSubstr("'a.b' in _METADATA is below a leaf"));
  EXPECT_THAT(error_of({entry({{"a"}, {"b"}}), entry({{"a"}})}), HasSubstr("is a leaf and a container"));
  EXPECT_THAT(error_of({entry({{"a"}, at(0)}), entry({{"a"}, at(2)})}), HasSubstr("lacks index 1"));
  EXPECT_THAT(error_of({entry({{"a"}, at(0)}), entry({{"a"}, {"x"}})}), HasSubstr("mixed key types"));
  EXPECT_THAT(error_of({entry({{"a"}, {"-1", KeyType::kSequence}})}), HasSubstr("sequence index '-1'"));
}

TEST(OrbaxTree, TakesAPathOfAHundredThousandKeys) {
  EXPECT_EQ(spelled({entry(std::vector<TreeMetadataEntry::PathKey>(100'000, {"k"}))}).size(), 100'001u);
}

TreeMetadata rich(std::string_view tree, std::vector<TreeMetadataEntry> entries) {
  TreeMetadata metadata;
  metadata.entries = std::move(entries);
  metadata.value_metadata_tree = json::parse(tree);
  return metadata;
}

constexpr std::string_view kRich = R"({"t":{"category":"custom","clazz":"tuple","entries":[
  {"category":"custom","clazz":"ValueMetadataEntry","data":{"value_type":"np.ndarray","skip_deserialize":false}}]},
  "n":{"category":"namedtuple","module":"optax","clazz":"State","entries":[{"key":"mu","value":
  {"category":"custom","clazz":"ValueMetadataEntry","data":{"value_type":"None","skip_deserialize":true}}}]}})";

TEST(RichTree, KeepsTuplesAndNamedTuples) {
  const OrbaxTree tree = build_orbax_tree(rich(kRich, {entry({{"n"}, {"mu"}}, "None"), entry({{"t"}, at(0)})}));
  EXPECT_THAT(spelled(tree), ElementsAre("None{2", "t(1", "0.", "nn1", "mu."));
  EXPECT_THAT(tree.entry_of_leaf, ElementsAre(1, 0));
  EXPECT_EQ(tree.structure.types().at(1), (TypeName{"optax", "State"}));
}

TEST(RichTree, RefusesLeavesThatOnlyOneOfTheTreesHas) {
  EXPECT_THROW(build_orbax_tree(rich(kRich, {entry({{"t"}, at(0)})})), Error);
  EXPECT_THROW(build_orbax_tree(rich(kRich, {entry({{"n"}, {"mu"}}, "None"), entry({{"t"}, at(0)}), entry({{"z"}})})), Error);
}

}  // namespace
}  // namespace perdure::checkpoint
