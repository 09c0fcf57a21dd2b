#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"
#include "perdure/storage/zarr/metadata.h"

namespace perdure::storage::zarr {
namespace {

using testing::HasSubstr;

/// An ordinary zarr.json in which one member is replaced or added; an empty `json` removes it.
std::string zarr_json(std::string_view key = "", std::string_view json = "") {
  std::vector<std::pair<std::string, std::string>> members = {
      {"zarr_format", "3"},
      {"node_type", "\"array\""},
      {"shape", "[10,9]"},
      {"data_type", "\"float32\""},
      {"chunk_grid", R"({"name":"regular","configuration":{"chunk_shape":[4,6]}})"},
      {"chunk_key_encoding", R"({"name":"default"})"},
      {"fill_value", "0.0"},
      {"codecs", R"([{"name":"bytes","configuration":{"endian":"little"}}])"}};
  std::string text;
  bool replaced = false;
  for (auto& [name, value] : members) {
    replaced |= name == key;
    const std::string_view chosen = name == key ? json : std::string_view(value);
    if (!chosen.empty()) text += (text.empty() ? "{\"" : ",\"") + name + "\":" + std::string(chosen);
  }
  if (!replaced && !key.empty()) text += ",\"" + std::string(key) + "\":" + std::string(json);
  return text + "}";
}

std::string failure(const std::string& text, ErrorKind kind) {
  try {
    parse_zarr3(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "accepted " << text;
  return "";
}

TEST(ParseZarr3, ReadsAnOrdinaryArray) {
  const ArrayMetadata metadata = parse_zarr3(zarr_json());
  EXPECT_EQ(metadata.zarr_format, 3);
  EXPECT_EQ(metadata.dtype, DType::kFloat32);
  EXPECT_EQ(metadata.shape, (Shape{10, 9}));
  EXPECT_EQ(metadata.chunk_shape, (Shape{4, 6}));
  EXPECT_TRUE(metadata.codecs.is_plain());
  EXPECT_EQ(metadata.chunk_key({2, 1}), "c/2/1");
}

TEST(ParseZarr3, ReadsChunkKeyEncodings) {
  EXPECT_EQ(parse_zarr3(zarr_json("chunk_key_encoding", R"({"name":"v2"})")).chunk_key({2, 1}), "2.1");
  EXPECT_EQ(parse_zarr3(zarr_json("chunk_key_encoding", R"({"name":"v2","configuration":{"separator":"/"}})")).chunk_key({2, 1}),
            "2/1");
  EXPECT_EQ(
      parse_zarr3(zarr_json("chunk_key_encoding", R"({"name":"default","configuration":{"separator":"."}})")).chunk_key({2, 1}),
      "c.2.1");
  failure(zarr_json("chunk_key_encoding", R"({"name":"default","configuration":{"separator":"-"}})"), ErrorKind::kCorrupt);
  failure(zarr_json("chunk_key_encoding", R"({"name":"hash"})"), ErrorKind::kInvalid);
}

TEST(ParseZarr3, RefusesAGroupClearly) {
  EXPECT_THAT(failure(R"({"zarr_format":3,"node_type":"group","attributes":{}})", ErrorKind::kInvalid),
              HasSubstr("expected an array, found a group"));
}

TEST(ParseZarr3, IgnoresOnlyUnknownMembersThatSaySo) {
  parse_zarr3(zarr_json("attributes", R"({"anything":[1,2]})"));
  parse_zarr3(zarr_json("dimension_names", R"(["x",null])"));
  parse_zarr3(zarr_json("storage_transformers", "[]"));
  parse_zarr3(zarr_json("hint", R"({"must_understand":false,"x":1})"));
  EXPECT_THAT(failure(zarr_json("hint", R"({"must_understand":true})"), ErrorKind::kInvalid), HasSubstr("'hint'"));
  EXPECT_THAT(failure(zarr_json("hint", R"({"x":1})"), ErrorKind::kInvalid), HasSubstr("'hint'"));
  failure(zarr_json("hint", "1"), ErrorKind::kInvalid);
  failure(zarr_json("storage_transformers", R"([{"name":"x"}])"), ErrorKind::kInvalid);
}

TEST(ParseZarr3, NamesEveryMemberThatIsMissingOrOfTheWrongKind) {
  for (const char* key :
       {"zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs"}) {
    EXPECT_THAT(failure(zarr_json(key, ""), ErrorKind::kCorrupt), HasSubstr(key));
    const ErrorKind kind = std::string(key) == "data_type" ? ErrorKind::kInvalid : ErrorKind::kCorrupt;
    EXPECT_THAT(failure(zarr_json(key, "true"), kind), HasSubstr(key));
  }
}

TEST(ParseZarr3, RefusesShapesThatMakeNoSense) {
  const auto with_chunks = [](const std::string& chunks) {
    return zarr_json("chunk_grid", R"({"name":"regular","configuration":{"chunk_shape":)" + chunks + "}}");
  };
  failure(with_chunks("[4]"), ErrorKind::kCorrupt);
  failure(with_chunks("[4,0]"), ErrorKind::kCorrupt);
  failure(with_chunks("[4294967296,4294967296]"), ErrorKind::kCorrupt);
  failure(zarr_json("chunk_grid", R"({"name":"rectilinear"})"), ErrorKind::kInvalid);
  failure(zarr_json("shape", "[-1,9]"), ErrorKind::kCorrupt);
  EXPECT_EQ(parse_zarr3(zarr_json("shape", "[9223372036854775807,1]")).shape[0], 9223372036854775807u);
}

TEST(ParseZarr3, ReadsPrivateDTypesFromTheAttributes) {
  std::string text = metadata_text(DType::kUint8, {3}, {3}, {});
  text.insert(text.size() - 1, R"(,"attributes":{"perdure":{"dtype":"uint2"}})");
  EXPECT_EQ(parse_zarr3(text).dtype, DType::kUint2);
  EXPECT_THAT(failure(zarr_json("attributes", R"({"perdure":{"dtype":"uint2"}})"), ErrorKind::kCorrupt),
              HasSubstr("is not stored as float32"));
}

}  // namespace
}  // namespace perdure::storage::zarr
