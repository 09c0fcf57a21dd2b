#include "perdure/checkpoint/orbax/tree_metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "perdure/base/error.h"

namespace perdure::checkpoint {
namespace {

using KeyType = TreeMetadataEntry::KeyType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TreeMetadataEntry entry(std::vector<TreeMetadataEntry::PathKey> path, std::string value_type) {
  return {.path = std::move(path), .value_type = std::move(value_type), .write_shape = {}};
}

/// The key of the only entry, as Orbax would read it.
std::string tuple_text(std::vector<TreeMetadataEntry::PathKey> path) {
  TreeMetadata metadata;
  metadata.entries.push_back(entry(std::move(path), "scalar"));
  const json::Value document = json::parse(encode_tree_metadata(metadata));
  return document.as_object().at("tree_metadata").as_object().members().at(0).first;
}

std::string with_double_quotes(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return text;
}

TEST(TreeMetadata, SpellsKeysAsPythonPrintsATuple) {
  EXPECT_EQ(tuple_text({}), "()");
  EXPECT_EQ(tuple_text({{"step"}}), "('step',)");
  EXPECT_EQ(tuple_text({{"layers"}, {"0", KeyType::kSequence}, {"w"}}), "('layers', '0', 'w')");
  EXPECT_EQ(tuple_text({{"a'b"}}), "(\"a'b\",)");
  EXPECT_EQ(tuple_text({{"a\nb"}, {"\\"}}), "('a\\nb', '\\\\')");
  EXPECT_EQ(tuple_text({{"\xc3\xbc"}}), "('\xc3\xbc',)");
}

TEST(TreeMetadata, WritesWhatOrbaxWrites) {
  TreeMetadata metadata;
  metadata.use_ocdbt = true;
  metadata.use_zarr3 = true;
  metadata.entries.push_back(entry({{"w"}}, "jax.Array"));
  metadata.entries[0].write_shape = Shape{2, 3};
  metadata.entries.push_back(entry({{"n"}}, "None"));
  const std::string expected =
      "{'tree_metadata':{\"('w',)\":{'key_metadata':[{'key':'w','key_type':2}],'value_metadata':{'value_type':'jax.Array',"
      "'skip_deserialize':false,'write_shape':[2,3]}},\"('n',)\":{'key_metadata':[{'key':'n','key_type':2}],"
      "'value_metadata':{'value_type':'None','skip_deserialize':true}}},'use_ocdbt':true,'use_zarr3':true,"
      "'store_array_data_equal_to_fill_value':true,'custom_metadata':null}";
  EXPECT_EQ(with_double_quotes(encode_tree_metadata(metadata)), with_double_quotes(expected));
}

TEST(TreeMetadata, ReadsBackWhatItWrote) {
  TreeMetadata metadata;
  metadata.use_ocdbt = false;
  metadata.custom_metadata = json::Object{{"run", "a"}};
  metadata.value_metadata_tree = json::Object{{"w", json::Array{1, 2}}};
  metadata.private_files = {"_PERDURE_TREE"};
  metadata.is_ours = true;
  metadata.entries.push_back(entry({{"layers"}, {"10", KeyType::kSequence}, {"\xc3\xbc\"'\\"}}, "np.ndarray"));
  const TreeMetadata read = parse_tree_metadata(encode_tree_metadata(metadata));
  EXPECT_EQ(read.use_ocdbt, false);
  EXPECT_FALSE(read.use_zarr3);
  EXPECT_EQ(read.custom_metadata, metadata.custom_metadata);
  EXPECT_EQ(read.value_metadata_tree, metadata.value_metadata_tree);
  EXPECT_THAT(read.private_files, ElementsAre("_PERDURE_TREE"));
  ASSERT_EQ(read.entries.size(), 1u);
  EXPECT_EQ(read.entries[0].name(), "layers.10.\xc3\xbc\"'\\");
  EXPECT_EQ(read.entries[0].path[1].type, KeyType::kSequence);
  EXPECT_EQ(read.entries[0].value_type, "np.ndarray");
}

TEST(TreeMetadata, TakesEverythingButTheTreeAsOptional) {
  const TreeMetadata metadata = parse_tree_metadata(R"({"tree_metadata":{},"unknown":1})");
  EXPECT_FALSE(metadata.use_ocdbt.has_value());
  EXPECT_FALSE(metadata.use_zarr3);
  EXPECT_FALSE(metadata.is_ours);
}

TEST(TreeMetadata, NamesTheEntryThatIsWrong) {
  try {
    parse_tree_metadata(
        R"x({"tree_metadata":{"('w',)":{"key_metadata":[{"key":"w","key_type":3}],"value_metadata":{"value_type":"scalar"}}}})x");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
    EXPECT_THAT(error.what(), HasSubstr("('w',)"));
  }
}

TEST(TreeMetadata, RefusesAPrivatePartOfANewerFormat) {
  EXPECT_THROW(parse_tree_metadata(R"({"tree_metadata":{},"perdure":{"version":2,"private_files":[]}})"), Error);
}

}  // namespace
}  // namespace perdure::checkpoint
