#include "perdure/storage/ocdbt/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "perdure/base/error.h"
#include "perdure/storage/ocdbt/writer.h"
#include "tests/support/ocdbt_folder.h"

namespace perdure::storage::ocdbt {
namespace {

using test::leaf_json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class OcdbtReader : public ::testing::Test {
 protected:
  /// What opening the database and reading `key` is refused with.
  std::string refusal(const std::string& key = "k", const KvStoreOptions& options = {}) {
    return test::error_of([&] { folder_.open(options)->find(key); });
  }
  std::string list_refusal() {
    return test::error_of([&] { folder_.open()->list(); });
  }
  /// A database of the one key "k", whose value is at `offset` in the file of those paths.
  void put_value_at(const std::string& base_path, const std::string& relative_path, std::uint64_t offset, std::uint64_t size) {
    const std::string entry =
        R"({"key": "k", "file": 0, "offset": )" + std::to_string(offset) + R"(, "size_bytes": )" + std::to_string(size) + "}";
    folder_.put_root(folder_.append_node(leaf_json(entry, base_path, relative_path)));
  }
  static json::Value interior_json(int height, const std::string& children, const std::string& base_path = "") {
    return json::parse(R"({"height": )" + std::to_string(height) + R"(, "data_files": [{"base_path": ")" + base_path +
                       R"(", "relative_path": "d/x"}], "children": [)" + children + "]}");
  }
  static std::string child_json(const std::string& key, std::size_t prefix, const DataRange& range) {
    return R"({"key": ")" + key + R"(", "subtree_prefix_length": )" + std::to_string(prefix) + R"(, "file": 0, "offset": )" +
           std::to_string(range.offset) + R"(, "length": )" + std::to_string(range.length) +
           R"(, "num_keys": 0, "num_tree_bytes": 0, "num_indirect_value_bytes": 0})";
  }
  test::OcdbtFolder folder_;
};

TEST_F(OcdbtReader, NamesADataFileThatIsMissing) {
  put_value_at("", "d/gone", 0, 1);
  EXPECT_THAT(refusal(), AllOf(StartsWith("corrupt"), HasSubstr("d/gone"), HasSubstr("is missing"), HasSubstr("key 'k'")));
}

TEST_F(OcdbtReader, RefusesARangePastTheEndOfItsFile) {
  folder_.put_file("d/v", "0123456789");
  put_value_at("", "d/v", 4, 6);
  EXPECT_EQ(folder_.open()->read("k").text(), "456789");
  put_value_at("", "d/v", 4, 7);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("d/v"), HasSubstr("has 10 bytes, wanted 7 from 4 on")));
  put_value_at("", "d/v", 11, 0);
  EXPECT_THAT(refusal(), HasSubstr("has 10 bytes"));
  put_value_at("", "d/v", 10, 0);
  EXPECT_EQ(folder_.open()->read("k").size(), 0u);
}

TEST_F(OcdbtReader, RefusesAManifestAndANodeThatAreTooLargeBeforeItTakesMemory) {
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 40;
  folder_.append("");
  std::filesystem::resize_file(folder_ / "d/x", kHuge);  // sparse
  folder_.put_root({0, 0, kHuge});
  EXPECT_THAT(refusal(), AllOf(StartsWith("corrupt"), HasSubstr("at byte 0 of"), HasSubstr("1099511627776 bytes, at most")));
  std::filesystem::resize_file(folder_ / "manifest.ocdbt", kHuge);
  EXPECT_THAT(refusal(), AllOf(StartsWith("corrupt"), HasSubstr("manifest.ocdbt"), HasSubstr("1099511627776 bytes, at most")));
}

TEST_F(OcdbtReader, RefusesFilesOutsideOfTheDatabase) {
  folder_.put_file("d/v", "x");
  const std::pair<std::string, std::string> kPaths[] = {{"", "../v"}, {"../", "v"},  {"d/../", "d/v"}, {"", "/etc/passwd"},
                                                        {"", "d//v"}, {"", "./d/v"}, {".", "./v"},     {"d", "/./v"},
                                                        {"/", "d/v"}, {"", ""}};
  for (const auto& [base, relative] : kPaths) {
    put_value_at(base, relative, 0, 1);
    EXPECT_THAT(refusal(), StartsWith("corrupt")) << base << "|" << relative;
  }
  put_value_at("d", "/v", 0, 1);
  EXPECT_EQ(refusal(), "");
}

TEST_F(OcdbtReader, RefusesARootOutsideOfTheDatabase) {
  Manifest manifest;
  manifest.files.add("../", "d/x");
  manifest.generations.push_back({1, 0, {0, 0, 30}, {}, 0});
  folder_.put_manifest(manifest);
  EXPECT_THAT(refusal(), HasSubstr("has a '..'"));
}

TEST_F(OcdbtReader, FollowsLinksOnlyWhenTold) {
  const test::TemporaryDirectory outside;
  write_new_file(posix_file_system(), outside / "v", as_bytes("x"));
  put_value_at("", "prev/v", 0, 1);
  std::filesystem::create_directory_symlink(outside.path(), folder_ / "prev");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("prev"), HasSubstr("is a link")));
  EXPECT_EQ(folder_.open({.follow_links = true})->read("k").text(), "x");
  put_value_at("", "d/link", 0, 1);
  std::filesystem::create_symlink(outside / "v", folder_ / "d/link");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("d/link"), HasSubstr("is a link")));
}

TEST_F(OcdbtReader, ResolvesBasePathsFromNodeToNode) {
  const DataRange leaf = folder_.append_node(leaf_json(R"({"key": "k", "file": 0, "offset": 0, "size_bytes": 1})", "in/", "d/v"));
  const DataRange middle = folder_.append_node(interior_json(1, child_json("k", 0, leaf)));
  std::filesystem::rename(folder_ / "d", folder_ / "moved");
  std::filesystem::create_directories(folder_ / "a/p/");
  std::filesystem::rename(folder_ / "moved", folder_ / "a/p/d");
  folder_.put_file("a/p/in/d/v", "x");
  Manifest manifest;
  manifest.files.add("a/p/", "d/x");
  manifest.generations.push_back({1, 1, middle, {}, 0});
  folder_.put_manifest(manifest);
  EXPECT_EQ(folder_.open()->read("k").text(), "x");
}

TEST_F(OcdbtReader, RefusesANodeOfAnotherHeight) {
  const DataRange leaf = folder_.append_node(leaf_json(R"({"key": "k", "inline_value": ""})"));
  folder_.put_root(leaf, 1);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("height 0, expected 1"), HasSubstr("d/x")));
  folder_.put_root(folder_.append_node(interior_json(2, child_json("k", 0, leaf))), 2);
  EXPECT_THAT(refusal(), HasSubstr("height 0, expected 1"));
  EXPECT_THAT(list_refusal(), HasSubstr("height 0, expected 1"));
}

TEST_F(OcdbtReader, RefusesChildrenWhoseKeysOverlap) {
  const DataRange leaf = folder_.append_node(leaf_json(R"({"key": "b", "inline_value": ""})"));
  folder_.put_root(folder_.append_node(interior_json(1, child_json("a", 0, leaf) + "," + child_json("b", 0, leaf))), 1);
  EXPECT_THAT(list_refusal(), HasSubstr("key 'b' is not in order"));
}

// Each level refers twice to the one below: 2^40 keys in 41 nodes, all of them different and in order.
TEST_F(OcdbtReader, RefusesATreeThatGrowsWithoutMeasure) {
  DataRange node = folder_.append_node(leaf_json(R"({"key": "k", "inline_value": ""})"));
  for (int height = 1; height <= 40; ++height) {
    node = folder_.append_node(interior_json(height, child_json("a", 1, node) + "," + child_json("b", 1, node)));
  }
  folder_.put_root(node, 40);
  EXPECT_TRUE(folder_.open()->find(std::string(40, 'b') + "k"));
  EXPECT_EQ(folder_.open()->list(std::string(38, 'a')).size(), 4u);
  EXPECT_THAT(list_refusal(), HasSubstr("more than"));
}

TEST_F(OcdbtReader, NamesFileAndOffsetOfABrokenNode) {
  folder_.append("padding");
  folder_.put_root(folder_.append("no node"));
  EXPECT_THAT(refusal(), AllOf(StartsWith("corrupt"), HasSubstr("at byte 7 of "), HasSubstr("d/x")));
}

TEST_F(OcdbtReader, ReadsOneNodeInManyThreads) {
  std::vector<Entry> entries;
  for (int i = 0; i < 1000; ++i) entries.push_back({"k" + std::to_string(i), true, std::to_string(i), 0, 0, 0});
  const DatabaseBytes database = encode_database(entries, {"d/x"}, 0, 0, {.max_decoded_node_bytes = 1000});
  folder_.append(database.nodes);
  folder_.put_file("manifest.ocdbt", database.manifest);
  const auto store = folder_.open();
  std::vector<std::thread> threads;
  std::atomic<int> found = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; i += 3) found += store->read("k" + std::to_string(i)).text() == std::to_string(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, 4 * 334);
}

}  // namespace
}  // namespace perdure::storage::ocdbt
