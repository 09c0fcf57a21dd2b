#include "perdure/storage/codec/zlib.h"

#include "tests/support/codec_properties.h"

namespace perdure::storage {
namespace {

TEST(Zlib, RoundTrips) { expect_round_trips(*make_zlib(json::Value(), 1)); }
TEST(Zlib, RejectsEveryTruncation) { expect_rejects_every_truncation(*make_zlib(json::Value(), 1)); }
TEST(Zlib, SurvivesEveryFlippedBit) { expect_survives_every_flipped_bit(*make_zlib(json::Value(), 1)); }
TEST(Zlib, RejectsTrailingBytesAndASecondStream) { expect_rejects_trailing_bytes(*make_zlib(json::Value(), 1)); }
TEST(Zlib, RejectsASizeBomb) { expect_rejects_a_size_bomb(*make_zlib(json::Value(), 1)); }

TEST(Zlib, ReadsWhatPythonWrites) {
  const unsigned char stream[] = {0x78, 0x9c, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x06, 0x2c, 0x02, 0x15};
  const Blob encoded = Blob::from(std::string(reinterpret_cast<const char*>(stream), sizeof stream));
  EXPECT_EQ(make_zlib(json::Value(), 1)->decode(encoded, 5).text(), "hello");
}

TEST(Zlib, RejectsALevelThatDoesNotExist) { EXPECT_THROW(make_zlib(json::Object{{"level", 10}}, 1), Error); }

}  // namespace
}  // namespace perdure::storage
