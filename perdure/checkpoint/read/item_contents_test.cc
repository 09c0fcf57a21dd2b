#include "perdure/checkpoint/read/item_contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/orbax/tree_metadata.h"
#include "tests/support/temporary_directory.h"

namespace perdure::checkpoint {
namespace {

/// The documents of an item that Orbax wrote; no store.
class ForeignItem : public ::testing::Test {
 protected:
  void put(std::string_view name, std::string_view content) { write_new_file(fs_, join_path(path_, name), as_bytes(content)); }
  void put_metadata(const std::vector<std::pair<std::string, std::string>>& value_types) {
    TreeMetadata metadata;
    metadata.use_ocdbt = false;
    metadata.custom_metadata = json::Object{};
    for (const auto& [name, value_type] : value_types) {
      TreeMetadataEntry& entry = metadata.entries.emplace_back();
      entry.path.push_back({.key = name});
      entry.value_type = value_type;
    }
    put(kTreeMetadataFile, encode_tree_metadata(metadata));
  }
  std::vector<std::string> origins() {
    std::vector<std::string> found;
    for (const DocumentLeaf& leaf : read_item_contents(ListedDirectory(fs_, path_, false)).document.leaves) {
      const auto* array = std::get_if<StoredArrayRef>(&leaf);
      found.push_back(array == nullptr ? "" : array->origin);
    }
    return found;
  }

  test::TemporaryDirectory directory_;
  const std::string path_ = directory_.path();
  FileSystem& fs_ = posix_file_system();
};

TEST_F(ForeignItem, HasTypedKeysWhereAnyProcessSaysSo) {
  put_metadata({{"a", "jax.Array"}, {"b", "jax.Array"}, {"c", "jax.Array"}, {"d", "np.ndarray"}, {"e", "scalar"}, {"f", "None"}});
  fs_.make_directory(join_path(path_, kArrayMetadatasDirectory));
  put(kArrayMetadatasFile, R"({"array_metadatas":[
      {"array_metadata":{"param_name":"a","ext_metadata":{"random_key_impl":"threefry2x32"}}},
      {"array_metadata":{"param_name":"b","ext_metadata":null}}]})");
  put("array_metadatas/process_1",
      R"({"array_metadatas":[{"array_metadata":{"param_name":"c","ext_metadata":{"random_key_impl":"rbg"}}}]})");
  EXPECT_THAT(origins(), testing::ElementsAre("jax.key:threefry2x32", "jax", "jax.key:rbg", "numpy", "scalar", ""));
}

TEST_F(ForeignItem, LeavesAKindOfValueThatItDoesNotKnowToItsHandler) {
  put_metadata({{"a", "zebra"}});
  const ItemContents contents = read_item_contents(ListedDirectory(fs_, path_, false));
  EXPECT_EQ(std::get<Handled>(std::get<Scalar>(contents.document.leaves[0])).typestr, "zebra");
}

}  // namespace
}  // namespace perdure::checkpoint
