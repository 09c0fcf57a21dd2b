#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"
#include "perdure/storage/zarr/metadata.h"

namespace perdure::storage::zarr {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// An ordinary .zarray in which one member is replaced; an empty `json` removes it.
std::string zarray(std::string_view key = "", std::string_view json = "") {
  const std::pair<std::string, std::string> members[] = {
      {"chunks", "[4,5]"},  {"compressor", "null"}, {"dimension_separator", "\".\""},
      {"dtype", "\"<f4\""}, {"fill_value", "null"}, {"filters", "null"},
      {"order", "\"C\""},   {"shape", "[10,9]"},    {"zarr_format", "2"}};
  std::string text;
  for (const auto& [name, value] : members) {
    const std::string_view chosen = name == key ? json : std::string_view(value);
    if (!chosen.empty()) text += (text.empty() ? "{\"" : ",\"") + name + "\":" + std::string(chosen);
  }
  return text + "}";
}

std::string failure(const std::string& text, ErrorKind kind) {
  try {
    parse_zarr2(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "accepted " << text;
  return "";
}

TEST(ParseZarr2, ReadsAnOrdinaryArray) {
  const ArrayMetadata metadata = parse_zarr2(zarray());
  EXPECT_EQ(metadata.zarr_format, 2);
  EXPECT_EQ(metadata.dtype, DType::kFloat32);
  EXPECT_EQ(metadata.shape, (Shape{10, 9}));
  EXPECT_EQ(metadata.chunk_shape, (Shape{4, 5}));
  EXPECT_TRUE(metadata.codecs.is_plain());
  EXPECT_EQ(metadata.chunk_key({2, 1}), "2.1");
}

TEST(ParseZarr2, ReadsSeparatorsAndTheirDefault) {
  EXPECT_EQ(parse_zarr2(zarray("dimension_separator", "\"/\"")).chunk_key({2, 1}), "2/1");
  EXPECT_EQ(parse_zarr2(zarray("dimension_separator", "")).chunk_key({2, 1}), "2.1");
  failure(zarray("dimension_separator", "\"_\""), ErrorKind::kCorrupt);
}

TEST(ParseZarr2, TakesFortranOrderAsATranspose) {
  const ArrayMetadata metadata = parse_zarr2(zarray("order", "\"F\""));
  EXPECT_THAT(metadata.codecs.transpose, ElementsAre(1, 0));
  EXPECT_FALSE(metadata.codecs.is_plain());
  failure(zarray("order", "\"K\""), ErrorKind::kCorrupt);
}

TEST(ParseZarr2, ReadsEveryTypestr) {
  for (const DTypeInfo& row : dtype_table()) {
    if (!row.has_zarr_name) continue;
    EXPECT_EQ(parse_zarr2(zarray("dtype", "\"" + std::string(row.zarr2) + "\"")).dtype, row.dtype);
    if (row.zarr2[0] != '<') continue;
    const ArrayMetadata big = parse_zarr2(zarray("dtype", "\">" + std::string(row.zarr2.substr(1)) + "\""));
    EXPECT_EQ(big.dtype, row.dtype);
    EXPECT_TRUE(big.codecs.big_endian);
    EXPECT_FALSE(big.codecs.is_plain());
  }
  EXPECT_FALSE(parse_zarr2(zarray("dtype", "\">u1\"")).codecs.big_endian);
}

TEST(ParseZarr2, RefusesDTypesThatAreNoNumbers) {
  EXPECT_THAT(failure(zarray("dtype", "\"|S5\""), ErrorKind::kInvalid), HasSubstr("unknown dtype '|S5'"));
  EXPECT_THAT(failure(zarray("dtype", "\"|O\""), ErrorKind::kInvalid), HasSubstr("'|O'"));
  EXPECT_THAT(failure(zarray("dtype", R"([["x","<f4"]])"), ErrorKind::kInvalid), HasSubstr("structured"));
}

TEST(ParseZarr2, ReadsCompressors) {
  for (const CodecRow& row : codec_table()) {
    if (row.zarr2.empty()) continue;
    const ArrayMetadata metadata = parse_zarr2(zarray("compressor", "{\"id\":\"" + std::string(row.zarr2) + "\"}"));
    ASSERT_EQ(metadata.codecs.bytes_codecs.size(), 1u);
    EXPECT_EQ(metadata.codecs.bytes_codecs[0]->name(), row.name);
  }
  EXPECT_THAT(failure(zarray("compressor", R"({"id":"lzma"})"), ErrorKind::kInvalid),
              HasSubstr("unknown codec 'lzma'\nmember 'compressor'"));
  failure(zarray("compressor", R"({"level":3})"), ErrorKind::kCorrupt);
}

TEST(ParseZarr2, RefusesFilters) {
  EXPECT_THAT(failure(zarray("filters", R"([{"id":"delta"}])"), ErrorKind::kInvalid), HasSubstr("filters"));
  parse_zarr2(zarray("filters", "[]"));
}

TEST(ParseZarr2, NamesEveryMemberThatIsMissingOrOfTheWrongKind) {
  for (const char* key : {"chunks", "compressor", "dtype", "fill_value", "order", "shape", "zarr_format"}) {
    EXPECT_THAT(failure(zarray(key, ""), ErrorKind::kCorrupt), HasSubstr(key));
    const ErrorKind kind = std::string(key) == "dtype" ? ErrorKind::kInvalid : ErrorKind::kCorrupt;
    EXPECT_THAT(failure(zarray(key, "\"x\""), kind), HasSubstr(key));
  }
  EXPECT_THAT(failure(zarray("zarr_format", "3"), ErrorKind::kCorrupt), HasSubstr("expected 2, found 3"));
}

TEST(ParseZarr2, RefusesShapesThatMakeNoSense) {
  failure(zarray("chunks", "[4]"), ErrorKind::kCorrupt);
  failure(zarray("chunks", "[4,0]"), ErrorKind::kCorrupt);
  failure(zarray("chunks", "[4,-1]"), ErrorKind::kCorrupt);
  failure(zarray("chunks", "[4,2.5]"), ErrorKind::kCorrupt);
  failure(zarray("chunks", "[4294967296,4294967296]"), ErrorKind::kCorrupt);
  failure(zarray("shape", "[18446744073709551616,1]"), ErrorKind::kCorrupt);
  failure(zarray("shape", "[9223372036854775808,1]"), ErrorKind::kCorrupt);
}

TEST(ParseZarr2, ReadsHugeShapes) {
  EXPECT_EQ(parse_zarr2(zarray("shape", "[9223372036854775807,9223372036854775807]")).grid()[0], 2305843009213693952u);
}

TEST(ParseZarr2, ReadsPrivateDTypesFromTheAttributes) {
  const std::string text = zarray("dtype", "\"|u1\"");
  EXPECT_EQ(parse_zarr2(text, R"({"perdure":{"dtype":"uint4"},"other":1})").dtype, DType::kUint4);
  EXPECT_EQ(parse_zarr2(text, R"({"other":1})").dtype, DType::kUint8);
  EXPECT_THROW(parse_zarr2(text, R"({"perdure":{"dtype":"float32"}})"), Error);
  EXPECT_THROW(parse_zarr2(text, R"({"perdure":{"dtype":"uint3"}})"), Error);
  EXPECT_THROW(parse_zarr2(zarray(), R"({"perdure":{"dtype":"uint4"}})"), Error);
}

}  // namespace
}  // namespace perdure::storage::zarr
