#include "perdure/storage/zarr/parse_codecs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"

namespace perdure::storage::zarr {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ChunkCodecs parse(const std::string& text, const Shape& chunk_shape = {8, 12}, DType dtype = DType::kFloat32) {
  return parse_codecs(json::parse(text), chunk_shape, dtype);
}

std::string failure(const std::string& text, ErrorKind kind, const Shape& chunk_shape = {8, 12}) {
  try {
    parse(text, chunk_shape);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "accepted " << text;
  return "";
}

const std::string kBytes = R"({"name":"bytes","configuration":{"endian":"little"}})";
const std::string kCrc = R"({"name":"crc32c"})";

std::string sharding(const std::string& chunk_shape, const std::string& inner, const std::string& index,
                     const std::string& more = "") {
  return R"({"name":"sharding_indexed","configuration":{"chunk_shape":)" + chunk_shape + R"(,"codecs":[)" + inner +
         R"(],"index_codecs":[)" + index + "]" + more + "}}";
}

TEST(ParseCodecs, ReadsAChain) {
  const ChunkCodecs codecs = parse("[" + kBytes + R"(,{"name":"zstd","configuration":{"level":3}},)" + kCrc + "]");
  ASSERT_EQ(codecs.bytes_codecs.size(), 2u);
  EXPECT_EQ(codecs.bytes_codecs[0]->name(), "zstd");
  EXPECT_TRUE(codecs.has_crc32c());
  EXPECT_FALSE(codecs.is_plain());
  EXPECT_TRUE(parse("[" + kBytes + "," + kCrc + "]").is_plain());
  EXPECT_FALSE(parse("[" + kBytes + "," + kCrc + "," + kCrc + "]").is_plain());
}

TEST(ParseCodecs, BoundsHowFarAChainExpands) {
  const std::string zstd = R"({"name":"zstd"})", gzip = R"({"name":"gzip"})";
  EXPECT_EQ(parse("[" + kBytes + "," + kCrc + "]").expansion_max(), 1u);
  EXPECT_EQ(parse("[" + kBytes + "," + zstd + "," + kCrc + "]").expansion_max(), 1u << 15);
  EXPECT_EQ(parse("[" + kBytes + "," + zstd + "," + gzip + "]").expansion_max(), 1u << (15 + 11));
  std::string chain = kBytes;
  for (int i = 0; i < 5; ++i) chain += "," + zstd;
  EXPECT_EQ(parse("[" + chain + "]").expansion_max(), ~std::uint64_t{0});
}

TEST(ParseCodecs, ComposesTransposes) {
  const std::string order = R"({"name":"transpose","configuration":{"order":[1,2,0]}},)";
  EXPECT_THAT(parse("[" + order + kBytes + "]", {2, 3, 4}).transpose, ElementsAre(1, 2, 0));
  EXPECT_THAT(parse("[" + order + order + kBytes + "]", {2, 3, 4}).transpose, ElementsAre(2, 0, 1));
  EXPECT_TRUE(parse("[" + order + order + order + kBytes + "]", {2, 3, 4}).is_plain());
}

TEST(ParseCodecs, RefusesOrdersThatAreNoPermutation) {
  for (const char* order : {"[0]", "[0,0]", "[0,2]", "[0,1,2]"}) {
    failure(R"([{"name":"transpose","configuration":{"order":)" + std::string(order) + "}}," + kBytes + "]", ErrorKind::kCorrupt);
  }
}

TEST(ParseCodecs, NeedsAnEndianExceptForSingleBytes) {
  EXPECT_THAT(failure(R"([{"name":"bytes"}])", ErrorKind::kCorrupt), HasSubstr("missing key 'endian'\ncodec 'bytes'"));
  EXPECT_TRUE(parse(R"([{"name":"bytes"}])", {8}, DType::kInt8).is_plain());
  EXPECT_TRUE(parse(R"([{"name":"bytes","configuration":{"endian":"big"}}])", {8}, DType::kInt8).is_plain());
  EXPECT_TRUE(parse(R"([{"name":"bytes","configuration":{"endian":"big"}}])").big_endian);
  failure(R"([{"name":"bytes","configuration":{"endian":"middle"}}])", ErrorKind::kCorrupt);
}

TEST(ParseCodecs, RefusesChainsOutOfOrder) {
  failure("[]", ErrorKind::kCorrupt);
  failure("[" + kCrc + "]", ErrorKind::kCorrupt);
  EXPECT_THAT(failure("[" + kCrc + "," + kBytes + "]", ErrorKind::kCorrupt), HasSubstr("'crc32c' stands before 'bytes'"));
  failure("[" + kBytes + "," + kBytes + "]", ErrorKind::kCorrupt);
  failure("[" + kBytes + R"(,{"name":"transpose","configuration":{"order":[0,1]}}])", ErrorKind::kCorrupt);
  EXPECT_THAT(failure("[" + kBytes + R"(,{"name":"pcodec"}])", ErrorKind::kInvalid), HasSubstr("unknown codec 'pcodec'"));
}

TEST(ParseCodecs, ReadsShardingInsideSharding) {
  const std::string inner = sharding("[2,3]", kBytes, kBytes, R"(,"index_location":"start")");
  const ChunkCodecs codecs = parse("[" + sharding("[4,6]", inner, kBytes + "," + kCrc) + "]");
  ASSERT_TRUE(codecs.sharding);
  EXPECT_EQ(codecs.sharding->chunk_shape, (Shape{4, 6}));
  EXPECT_TRUE(codecs.sharding->index_at_end);
  EXPECT_TRUE(codecs.sharding->index->has_crc32c());
  ASSERT_TRUE(codecs.sharding->inner->sharding);
  EXPECT_EQ(codecs.sharding->inner->sharding->chunk_shape, (Shape{2, 3}));
  EXPECT_FALSE(codecs.sharding->inner->sharding->index_at_end);
}

TEST(ParseCodecs, DividesTheTransposedChunk) {
  const std::string order = R"({"name":"transpose","configuration":{"order":[1,0]}},)";
  parse("[" + order + sharding("[12,1]", kBytes, kBytes) + "]");
  failure("[" + order + sharding("[1,12]", kBytes, kBytes) + "]", ErrorKind::kCorrupt);
}

TEST(ParseCodecs, RefusesShardsThatMakeNoSense) {
  EXPECT_THAT(failure("[" + sharding("[3,6]", kBytes, kBytes) + "]", ErrorKind::kCorrupt), HasSubstr("does not divide"));
  failure("[" + sharding("[4,0]", kBytes, kBytes) + "]", ErrorKind::kCorrupt);
  failure("[" + sharding("[4]", kBytes, kBytes) + "]", ErrorKind::kCorrupt);
  failure("[" + sharding("[4,6]", kBytes, kBytes, R"(,"index_location":"middle")") + "]", ErrorKind::kCorrupt);
  failure("[" + sharding("[4,6]", kBytes, kBytes + R"(,{"name":"zstd"})") + "]", ErrorKind::kInvalid);
}

TEST(ParseCodecs, BoundsTheDepthOfShards) {
  std::string codec = kBytes;
  for (int depth = 0; depth < 4; ++depth) codec = sharding("[8,12]", codec, kBytes);
  parse("[" + codec + "]");
  EXPECT_THAT(failure("[" + sharding("[8,12]", codec, kBytes) + "]", ErrorKind::kInvalid), HasSubstr("more than 4 levels"));
}

}  // namespace
}  // namespace perdure::storage::zarr
