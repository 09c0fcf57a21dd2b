#include "perdure/storage/ocdbt/generations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/ocdbt_folder.h"

namespace perdure::storage::ocdbt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A database whose generation g has the one key "g<number>".
class OcdbtGenerations : public ::testing::Test {
 protected:
  DataFileTable table() {
    DataFileTable files;
    files.add("", "d/x");
    return files;
  }
  Generation generation(std::uint64_t number) {
    const std::string entry = R"({"key": "g)" + std::to_string(number) + R"(", "inline_value": ""})";
    return {number, 0, folder_.append_node(test::leaf_json(entry)), {}, 0};
  }
  VersionNodeReference append(const VersionNode& node) {
    const bool is_leaf = node.height == 0;
    const std::uint64_t last = is_leaf ? node.generations.back().number : node.children.back().last_generation;
    return {last, folder_.append(encode_version_node(node, true)), 0, 0, node.height};
  }
  /// Arity 2, as the format lays out generations 1 to 10: 9 and 10 in the manifest, 1 to 8 below one node of height 2.
  Manifest ten_generations() {
    std::vector<VersionNodeReference> leaves, pairs;
    for (std::uint64_t g = 1; g <= 8; g += 2) leaves.push_back(append({1, 0, table(), {generation(g), generation(g + 1)}, {}}));
    for (std::size_t i = 0; i < 4; i += 2) pairs.push_back(append({1, 1, table(), {}, {leaves[i], leaves[i + 1]}}));
    Manifest manifest;
    manifest.config.version_tree_arity_log2 = 1;
    manifest.files = table();
    manifest.generations = {generation(9), generation(10)};
    manifest.version_nodes = {append({1, 2, table(), {}, pairs})};
    return manifest;
  }
  std::string refusal(std::uint64_t number) {
    return test::error_of([&] { folder_.open({.generation = number}); });
  }
  test::OcdbtFolder folder_;
};

TEST_F(OcdbtGenerations, AreAllFoundInTheVersionTree) {
  folder_.put_manifest(ten_generations());
  for (std::uint64_t g = 1; g <= 10; ++g) {
    EXPECT_THAT(folder_.open({.generation = g})->list(), ElementsAre("g" + std::to_string(g)));
  }
  EXPECT_THAT(folder_.open()->list(), ElementsAre("g10"));
}

TEST_F(OcdbtGenerations, ThatAreNotThereAreNotFound) {
  folder_.put_manifest(ten_generations());
  EXPECT_THAT(refusal(0), HasSubstr("no generation 0"));
  EXPECT_THAT(refusal(11), AllOf(HasSubstr("no generation 11"), HasSubstr(folder_.path())));
}

TEST_F(OcdbtGenerations, WithoutRootHaveNoKeys) {
  Manifest manifest;
  manifest.files.add("", "");
  manifest.generations = {{1, 0, {0, kNoRoot, kNoRoot}, {}, 0}};
  folder_.put_manifest(manifest);
  EXPECT_THAT(folder_.open()->list(), IsEmpty());
  EXPECT_FALSE(folder_.open()->find("k"));
}

TEST_F(OcdbtGenerations, RefuseAVersionNodeOfAnotherHeightOrArity) {
  Manifest manifest = ten_generations();
  manifest.version_nodes[0].height = 3;
  folder_.put_manifest(manifest);
  EXPECT_THAT(refusal(3), AllOf(HasSubstr("height 2"), HasSubstr("expected 3"), HasSubstr("d/x")));
  manifest = ten_generations();
  manifest.config.version_tree_arity_log2 = 2;
  folder_.put_manifest(manifest);
  EXPECT_THAT(refusal(3), HasSubstr("arity_log2 1, expected 2 and 2"));
}

TEST_F(OcdbtGenerations, OfNumberedManifestsAreThoseOfTheGreatest) {
  Manifest manifest = ten_generations();
  folder_.put_manifest(manifest, "manifest.000000000000000a");
  Manifest older = manifest;
  older.generations = {generation(9)};
  folder_.put_manifest(older, "manifest.0000000000000009");
  folder_.put_file("manifest.000000000000000b.__lock", "");
  Manifest first;
  first.config = manifest.config;
  first.config.manifest_kind = kNumberedManifests;
  folder_.put_manifest(first);
  EXPECT_THAT(folder_.open()->list(), ElementsAre("g10"));
  EXPECT_THAT(folder_.open({.generation = 3})->list(), ElementsAre("g3"));
}

TEST_F(OcdbtGenerations, OfNumberedManifestsMustHaveOneUuid) {
  Manifest manifest = ten_generations();
  folder_.put_manifest(manifest, "manifest.000000000000000a");
  manifest.config.manifest_kind = kNumberedManifests;
  manifest.config.uuid[0] = 1;
  folder_.put_manifest(manifest);
  EXPECT_THAT(refusal(10), HasSubstr("belongs to another database"));
}

TEST_F(OcdbtGenerations, OfNoNumberedManifestIsAnEmptyDatabase) {
  Manifest manifest;
  manifest.config.manifest_kind = kNumberedManifests;
  folder_.put_manifest(manifest);
  EXPECT_THAT(folder_.open()->list(), IsEmpty());
}

TEST_F(OcdbtGenerations, ComeBackFromJsonAsVersionNodes) {
  const VersionNode leaf{1, 0, table(), {generation(1), generation(2)}, {}};
  const VersionNode above{1, 1, table(), {}, {append(leaf)}};
  EXPECT_EQ(version_node_from_json(json::parse(json::dump(to_json(leaf)))), leaf);
  EXPECT_EQ(version_node_from_json(json::parse(json::dump(to_json(above)))), above);
}

}  // namespace
}  // namespace perdure::storage::ocdbt
