#include "perdure/storage/codec/crc32c.h"

#include "tests/support/codec_properties.h"

namespace perdure::storage {
namespace {

std::unique_ptr<Codec> codec() { return make_crc32c(json::Value(), 1); }

TEST(Crc32c, RoundTrips) { expect_round_trips(*codec()); }
TEST(Crc32c, RejectsEveryTruncation) { expect_rejects_every_truncation(*codec()); }
TEST(Crc32c, RejectsTrailingBytesAndASecondStream) { expect_rejects_trailing_bytes(*codec()); }

TEST(Crc32c, AppendsTheCheckValueLittleEndian) {
  EXPECT_EQ(codec()->encode(Blob::from(std::string("123456789"))).text(), "123456789\x83\x92\x06\xe3");
}

TEST(Crc32c, SaysWhatWasStoredAndComputed) {
  EXPECT_EQ(decode_failure(*codec(), Blob::from(std::string("123456789abcd")), 9),
            "crc32c: stored 0x64636261, computed 0xe3069283");
}

TEST(Crc32c, RejectsEveryFlippedBit) {
  const Blob encoded = codec()->encode(sample_bytes(40));
  for (std::size_t bit = 0; bit < encoded.size() * 8; ++bit) {
    SCOPED_TRACE(bit);
    std::string flipped(encoded.text());
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    decode_failure(*codec(), Blob::from(std::move(flipped)), 40);
  }
}

TEST(Crc32c, SharesTheMemoryOfWhatItChecked) {
  const Blob encoded = codec()->encode(sample_bytes(40));
  EXPECT_EQ(codec()->decode(encoded, 40).data(), encoded.data());
}

TEST(Crc32c, RejectsMoreThanTheLimit) {
  EXPECT_EQ(decode_failure(*codec(), codec()->encode(sample_bytes(40)), 39),
            "crc32c: expected at most 39 decoded bytes, found 40");
}

}  // namespace
}  // namespace perdure::storage
