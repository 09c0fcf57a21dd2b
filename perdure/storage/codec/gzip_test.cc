#include "perdure/storage/codec/gzip.h"

#include "tests/support/codec_properties.h"

namespace perdure::storage {
namespace {

TEST(Gzip, RoundTrips) { expect_round_trips(*make_gzip(json::Value(), 1)); }
TEST(Gzip, RejectsEveryTruncation) { expect_rejects_every_truncation(*make_gzip(json::Value(), 1)); }
TEST(Gzip, SurvivesEveryFlippedBit) { expect_survives_every_flipped_bit(*make_gzip(json::Value(), 1)); }
TEST(Gzip, RejectsTrailingBytesAndASecondStream) { expect_rejects_trailing_bytes(*make_gzip(json::Value(), 1)); }
TEST(Gzip, RejectsASizeBomb) { expect_rejects_a_size_bomb(*make_gzip(json::Value(), 1)); }

TEST(Gzip, ReadsWhatPythonWrites) {
  const unsigned char stream[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff, 0xcb, 0x48, 0xcd,
                                  0xc9, 0xc9, 0x07, 0x00, 0x86, 0xa6, 0x10, 0x36, 0x05, 0x00, 0x00, 0x00};
  const Blob encoded = Blob::from(std::string(reinterpret_cast<const char*>(stream), sizeof stream));
  EXPECT_EQ(make_gzip(json::Value(), 1)->decode(encoded, 5).text(), "hello");
}

TEST(Gzip, RejectsZlib) {
  const unsigned char stream[] = {0x78, 0x9c, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x06, 0x2c, 0x02, 0x15};
  const Blob encoded = Blob::from(std::string(reinterpret_cast<const char*>(stream), sizeof stream));
  EXPECT_EQ(decode_failure(*make_gzip(json::Value(), 1), encoded, 5), "gzip: incorrect header check");
}

}  // namespace
}  // namespace perdure::storage
