#include "perdure/storage/codec/zstd.h"

#include "tests/support/codec_properties.h"

namespace perdure::storage {
namespace {

TEST(Zstd, RoundTrips) { expect_round_trips(*make_zstd(json::Value(), 1)); }
TEST(Zstd, RejectsEveryTruncation) { expect_rejects_every_truncation(*make_zstd(json::Value(), 1)); }
TEST(Zstd, SurvivesEveryFlippedBit) { expect_survives_every_flipped_bit(*make_zstd(json::Value(), 1)); }
TEST(Zstd, RejectsTrailingBytesAndASecondStream) { expect_rejects_trailing_bytes(*make_zstd(json::Value(), 1)); }
TEST(Zstd, RejectsASizeBomb) { expect_rejects_a_size_bomb(*make_zstd(json::Value(), 1)); }

Blob from_hex(std::string_view hex) {
  std::string text;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    text += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return Blob::from(std::move(text));
}

// "hello" by a streaming encoder: magic, window descriptor, one raw block, no content size.
constexpr std::string_view kWithoutContentSize =
    "28b52ffd0058290000"
    "68656c6c6f";

TEST(Zstd, ReadsAFrameWithoutContentSize) {
  EXPECT_EQ(make_zstd(json::Value(), 1)->decode(from_hex(kWithoutContentSize), 5).text(), "hello");
  EXPECT_EQ(decoded_into(*make_zstd(json::Value(), 1), from_hex(kWithoutContentSize), 5), "hello");
}

TEST(Zstd, BoundsAFrameWithoutContentSize) {
  EXPECT_EQ(decode_failure(*make_zstd(json::Value(), 1), from_hex(kWithoutContentSize), 4),
            "zstd: expected at most 4 decoded bytes, found more");
}

TEST(Zstd, RejectsAClaimedContentSizeBeforeMemoryIsTaken) {
  // Content size of 2^62 bytes in the header.
  EXPECT_EQ(decode_failure(*make_zstd(json::Value(), 1),
                           from_hex("28b52ffde0"
                                    "0000000000000040"
                                    "010000"),
                           1 << 20),
            "zstd: expected at most 1048576 decoded bytes, found 4611686018427387904");
}

TEST(Zstd, DoesNotTakeMemoryForAClaimThatTheLimitAllows) {
  decode_failure(*make_zstd(json::Value(), 1),
                 from_hex("28b52ffde0"
                          "0000000000000040"
                          "010000"),
                 std::size_t{1} << 62);
}

TEST(Zstd, RejectsSkippableFrames) {
  EXPECT_EQ(decode_failure(*make_zstd(json::Value(), 1),
                           from_hex("502a4d180400000061626364"
                                    "28b52ffd0058290000"
                                    "68656c6c6f"),
                           5),
            "zstd: not a frame");
}

TEST(Zstd, ChecksumNoticesAFlippedBit) {
  const auto codec = make_zstd(json::Object{{"checksum", true}, {"level", 1}}, 1);
  std::string flipped(codec->encode(Blob::from(std::string("0123456789"))).text());
  flipped[10] = static_cast<char>(flipped[10] ^ 1);
  decode_failure(*codec, Blob::from(std::move(flipped)), 10);
}

TEST(Zstd, RejectsALevelThatDoesNotExist) {
  EXPECT_THROW(make_zstd(json::Object{{"level", 23}}, 1), Error);
  EXPECT_THROW(make_zstd(json::Object{{"level", "fast"}}, 1), Error);
}

}  // namespace
}  // namespace perdure::storage
