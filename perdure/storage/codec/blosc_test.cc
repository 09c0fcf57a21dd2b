#include "perdure/storage/codec/blosc.h"

#include "tests/support/codec_properties.h"

namespace perdure::storage {
namespace {

TEST(Blosc, RoundTrips) { expect_round_trips(*make_blosc(json::Value(), 1)); }
TEST(Blosc, RejectsEveryTruncation) { expect_rejects_every_truncation(*make_blosc(json::Value(), 1)); }
TEST(Blosc, SurvivesEveryFlippedBit) { expect_survives_every_flipped_bit(*make_blosc(json::Value(), 1)); }
TEST(Blosc, RejectsTrailingBytesAndASecondStream) { expect_rejects_trailing_bytes(*make_blosc(json::Value(), 1)); }
TEST(Blosc, RejectsASizeBomb) { expect_rejects_a_size_bomb(*make_blosc(json::Value(), 1)); }

TEST(Blosc, RoundTripsWithEveryCompressorAndShuffle) {
  for (const char* compressor : {"blosclz", "lz4", "lz4hc", "zlib", "zstd"}) {
    for (int shuffle = -1; shuffle <= 2; ++shuffle) {
      SCOPED_TRACE(std::string(compressor) + " " + std::to_string(shuffle));
      expect_round_trips(*make_blosc(json::Object{{"cname", compressor}, {"shuffle", shuffle}, {"clevel", 3}}, 4));
    }
  }
}

TEST(Blosc, KnowsTheShuffleNamesOfZarr3) {
  const Blob bytes = sample_bytes(4000);
  for (const char* shuffle : {"noshuffle", "shuffle", "bitshuffle"}) {
    const auto codec = make_blosc(json::Object{{"cname", "lz4"}, {"shuffle", shuffle}, {"typesize", 4}}, 4);
    EXPECT_EQ(codec->decode(codec->encode(bytes), 4000).text(), bytes.text());
  }
  EXPECT_THROW(make_blosc(json::Object{{"shuffle", "sideways"}}, 4), Error);
}

TEST(Blosc, RejectsASizeInTheHeaderThatIsNotTheSizeOfTheBuffer) {
  const auto codec = make_blosc(json::Value(), 1);
  EXPECT_EQ(decode_failure(*codec, joined(codec->encode(sample_bytes(100)), "x"), 100), "blosc: not a buffer of this size");
}

TEST(Blosc, RejectsAnUnknownCompressor) { EXPECT_THROW(make_blosc(json::Object{{"cname", "brotli"}}, 1), Error); }

}  // namespace
}  // namespace perdure::storage
