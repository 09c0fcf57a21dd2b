// Arrays in shards, made by hand so that each part can be broken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/byte_io.h"
#include "perdure/base/checksum.h"
#include "perdure/base/error.h"
#include "perdure/storage/zarr/array.h"
#include "tests/support/counting_store.h"

namespace perdure::storage::zarr {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kMissing = ~std::uint64_t{0};
using Entries = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

std::string index_bytes(const Entries& entries) {
  ByteWriter out;
  for (const auto& [offset, size] : entries) out.u64le(offset), out.u64le(size);
  out.u32le(crc32c(as_bytes(out.str())));
  return out.take();
}

/// One shard of 4 bytes in inner chunks of 2.
std::string metadata(const std::string& location = "end", const std::string& inner = R"({"name":"bytes"})",
                     const std::string& after = "") {
  return R"({"zarr_format":3,"node_type":"array","shape":[4],"data_type":"uint8","chunk_grid":{"name":"regular",)"
         R"("configuration":{"chunk_shape":[4]}},"chunk_key_encoding":{"name":"default"},"fill_value":46,"codecs":[)"
         R"({"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":[)" +
         inner +
         R"(],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}],"index_location":")" +
         location + "\"}}" + after + "]}";
}

std::string read(const std::string& shard, const std::string& text = metadata(), const ReadOptions& options = {}) {
  MemoryStore store;
  store.put("w/zarr.json", Blob::from(text));
  store.put("w/c/0", Blob::from(shard));
  std::string bytes(4, '?');
  Array::open(store, "w")
      .read(Box::whole({4}), ArraySpan::contiguous(reinterpret_cast<std::byte*>(bytes.data()), DType::kUint8, {4}), options);
  return bytes;
}

std::string failure(const std::string& shard, const std::string& text = metadata(), const ReadOptions& options = {}) {
  try {
    ADD_FAILURE() << "read " << read(shard, text, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
    return error.what();
  }
  return "";
}

TEST(Shard, ReadsInnerChunksInAnyOrderWithGaps) {
  EXPECT_EQ(read("abcd" + index_bytes({{0, 2}, {2, 2}})), "abcd");
  EXPECT_EQ(read("ab..cd" + index_bytes({{4, 2}, {0, 2}})), "cdab");
  EXPECT_EQ(read("ab" + index_bytes({{0, 2}, {0, 2}})), "abab");
}

TEST(Shard, ReadsAnIndexAtTheStart) { EXPECT_EQ(read(index_bytes({{36, 2}, {38, 2}}) + "abcd", metadata("start")), "abcd"); }

TEST(Shard, FillsOrRefusesMissingInnerChunks) {
  const std::string shard = "ab" + index_bytes({{kMissing, kMissing}, {0, 2}});
  EXPECT_EQ(read(shard), "..ab");
  EXPECT_THAT(failure(shard, metadata(), {.missing_is_fill = false}),
              HasSubstr("the chunk is not stored\ninner chunk (0,)\nchunk w/c/0"));
}

TEST(Shard, TakesItsIndexAsAClaim) {
  EXPECT_THAT(failure("abcd" + index_bytes({{0, 2}, {39, 2}})), HasSubstr("does not lie in a shard of 40\ninner chunk (1,)"));
  failure("abcd" + index_bytes({{0, 2}, {kMissing, 2}}));
  failure("abcd" + index_bytes({{0, 2}, {2, kMissing}}));
  failure("abcd" + index_bytes({{0, 2}, {kMissing - 1, 3}}));
  EXPECT_THAT(failure("abcd" + index_bytes({{0, 2}, {2, 1}})), HasSubstr("expected 2 stored bytes, found 1"));
}

TEST(Shard, ChecksItsIndexEvenUnverified) {
  std::string shard = "abcd" + index_bytes({{0, 2}, {2, 2}});
  shard[20] = static_cast<char>(shard[20] ^ 1);
  EXPECT_THAT(failure(shard, metadata(), {.verify = false}), HasSubstr("\nindex of the shard\nchunk w/c/0"));
}

TEST(Shard, RefusesAValueThatIsShorterThanItsIndex) {
  EXPECT_THAT(failure("abcd"), HasSubstr("expected a shard index of 36 bytes, found a shard of 4"));
  failure("");
}

TEST(Shard, ReadsCompressedInnerChunks) {
  const Blob ab = make_codec("zstd", json::Value(), {})->encode(Blob::from(std::string("ab")));
  const std::string shard = std::string(ab.text()) + index_bytes({{0, ab.size()}, {0, ab.size()}});
  EXPECT_EQ(read(shard, metadata("end", R"({"name":"bytes"},{"name":"zstd"})")), "abab");
}

TEST(Shard, ReadsAShardThatIsCompressedAsAWhole) {
  const Blob shard = make_codec("gzip", json::Value(), {})->encode(Blob::from("abcd" + index_bytes({{0, 2}, {2, 2}})));
  EXPECT_EQ(read(std::string(shard.text()), metadata("end", R"({"name":"bytes"})", R"(,{"name":"gzip"})")), "abcd");
}

TEST(Shard, RefusesABombAroundAShard) {
  const Blob shard = make_codec("gzip", json::Value(), {})->encode(Blob::from(std::string(10 << 20, '\0')));
  EXPECT_THAT(failure(std::string(shard.text()), metadata("end", R"({"name":"bytes"})", R"(,{"name":"gzip"})")),
              HasSubstr("gzip: expected at most"));
}

TEST(Shard, ReadsShardsInShards) {
  const std::string inner = R"({"name":"sharding_indexed","configuration":{"chunk_shape":[1],"codecs":[{"name":"bytes"}],)"
                            R"("index_codecs":[{"name":"bytes","configuration":{"endian":"big"}}]}})";
  const std::string pair =
      "xy" + std::string(7, '\0') + "\1" + std::string(7, '\0') + "\1" + std::string(8, '\0') + std::string(7, '\0') + "\1";
  EXPECT_EQ(read(pair + index_bytes({{0, pair.size()}, {0, pair.size()}}), metadata("end", inner)), "yxyx");
}

TEST(Shard, OnlyTheNeededInnerChunksAreRead) {
  CountingStore store;
  store.put("w/zarr.json", Blob::from(metadata()));
  store.put("w/c/0", Blob::from("abcd" + index_bytes({{0, 2}, {2, 2}})));
  const Array array = Array::open(store, "w");
  std::byte element;
  store.reset();
  array.read({{3}, {1}}, ArraySpan::contiguous(&element, DType::kUint8, {1}));
  EXPECT_EQ(std::to_integer<char>(element), 'd');
  EXPECT_EQ(store.read_bytes, 36u + 1);
}

}  // namespace
}  // namespace perdure::storage::zarr
