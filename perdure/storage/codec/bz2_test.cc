#include "perdure/storage/codec/bz2.h"

#include "tests/support/codec_properties.h"

namespace perdure::storage {
namespace {

TEST(Bz2, RoundTrips) { expect_round_trips(*make_bz2(json::Value(), 1)); }
TEST(Bz2, RejectsEveryTruncation) { expect_rejects_every_truncation(*make_bz2(json::Value(), 1)); }
TEST(Bz2, SurvivesEveryFlippedBit) { expect_survives_every_flipped_bit(*make_bz2(json::Value(), 1)); }
TEST(Bz2, RejectsTrailingBytesAndASecondStream) { expect_rejects_trailing_bytes(*make_bz2(json::Value(), 1)); }
TEST(Bz2, RejectsASizeBomb) { expect_rejects_a_size_bomb(*make_bz2(json::Value(), 1)); }

TEST(Bz2, NamesWhatIsNoStream) {
  EXPECT_EQ(decode_failure(*make_bz2(json::Value(), 1), Blob::from(std::string("hello world")), 100), "bz2: not a bzip2 stream");
}

TEST(Bz2, RejectsALevelThatDoesNotExist) { EXPECT_THROW(make_bz2(json::Object{{"level", 0}}, 1), Error); }

}  // namespace
}  // namespace perdure::storage
