#include "perdure/storage/ocdbt/envelope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include "perdure/base/byte_io.h"
#include "perdure/base/checksum.h"
#include "tests/support/ocdbt_folder.h"

namespace perdure::storage::ocdbt {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string open(const std::string& envelope) {
  return std::string(open_envelope(Blob::from(envelope), Magic::kManifest).text());
}
std::string refusal(const std::string& envelope) {
  return test::error_of([&] { open(envelope); });
}

/// An envelope with a right length and checksum around anything.
std::string sealed(std::uint32_t magic, std::uint64_t version, std::uint64_t compression, std::string_view payload) {
  ByteWriter tail;
  tail.varint(version);
  tail.varint(compression);
  tail.text(payload);
  ByteWriter io;
  io.u32be(magic);
  io.u64le(4 + 8 + tail.size() + 4);
  io.text(tail.str());
  io.u32le(crc32c(as_bytes(io.str())));
  return io.take();
}
std::string sealed_zstd(std::string_view payload) { return sealed(0x0cdb3a2a, 0, 1, payload); }

std::string zstd_frame(std::string_view content) {
  std::string frame(ZSTD_compressBound(content.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), content.data(), content.size(), 3));
  return frame;
}

/// A frame that does not say how large its content is, as TensorStore writes larger ones.
std::string zstd_stream(std::string_view content) {
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  std::string frame(ZSTD_compressBound(content.size()), '\0');
  ZSTD_inBuffer in{content.data(), content.size(), 0};
  ZSTD_outBuffer out{frame.data(), frame.size(), 0};
  ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_flush);
  EXPECT_EQ(ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_end), 0u);
  frame.resize(out.pos);
  EXPECT_EQ(ZSTD_getFrameContentSize(frame.data(), frame.size()), ZSTD_CONTENTSIZE_UNKNOWN);
  return frame;
}

TEST(Envelope, GivesBackTheBody) {
  for (const bool compress : {false, true}) {
    for (const std::size_t size : {0u, 1u, 100'000u}) {
      const std::string body(size, 'x');
      EXPECT_EQ(open(seal_envelope(body, Magic::kManifest, compress)), body);
    }
  }
}

TEST(Envelope, RefusesEveryTruncation) {
  const std::string envelope = seal_envelope("body", Magic::kManifest, true);
  for (std::size_t size = 0; size < envelope.size(); ++size)
    EXPECT_THAT(refusal(envelope.substr(0, size)), StartsWith("corrupt")) << size;
}

TEST(Envelope, RefusesAByteMore) {
  EXPECT_THAT(refusal(seal_envelope("body", Magic::kManifest, false) + '\0'), HasSubstr("length"));
}

TEST(Envelope, RefusesEveryFlippedBit) {
  for (const bool compress : {false, true}) {
    const std::string envelope = seal_envelope("body", Magic::kManifest, compress);
    for (std::size_t bit = 0; bit < envelope.size() * 8; ++bit) {
      std::string flipped = envelope;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
      EXPECT_THAT(refusal(flipped), StartsWith("corrupt")) << bit;
    }
  }
}

TEST(Envelope, RefusesAnotherMagicVersionOrCompression) {
  EXPECT_EQ(refusal(sealed(0x0cdb3a2a, 0, 0, "body")), "");
  EXPECT_THAT(refusal(sealed(0x0cdb20de, 0, 0, "body")), HasSubstr("magic number"));
  EXPECT_THAT(refusal(sealed(0x0cdb3a2a, 1, 0, "body")), HasSubstr("format version is 1, expected 0"));
  EXPECT_THAT(refusal(sealed(0x0cdb3a2a, 0, 2, "body")), HasSubstr("compression is 2"));
}

TEST(Envelope, ReadsFramesThatDoNotSayTheirSize) {
  const std::string body(3'000'000, 'x');
  EXPECT_EQ(open(sealed_zstd(zstd_stream(body))), body);
}

TEST(Envelope, RefusesAnythingButOneFrame) {
  const std::string frame = zstd_frame("body");
  const std::string skippable("\x50\x2a\x4d\x18\x01\x00\x00\x00z", 9);
  EXPECT_EQ(refusal(sealed_zstd(frame)), "");
  EXPECT_THAT(refusal(sealed_zstd(frame + frame)), HasSubstr("bytes follow the end of the stream"));
  EXPECT_THAT(refusal(sealed_zstd(frame + skippable)), HasSubstr("bytes follow the end of the stream"));
  EXPECT_THAT(refusal(sealed_zstd(skippable + frame)), HasSubstr("not a frame"));
  EXPECT_THAT(refusal(sealed_zstd(frame.substr(0, frame.size() - 1))), HasSubstr("zstd"));
  EXPECT_THAT(refusal(sealed_zstd("")), StartsWith("corrupt"));
}

TEST(Envelope, RefusesAFrameThatGrowsWithoutMeasure) {
  const std::string zeros(kBodyBytesFree + kBodyRatioMax * 10'000, '\0');
  ASSERT_LT(zstd_frame(zeros).size(), 10'000u);
  EXPECT_THAT(refusal(sealed_zstd(zstd_frame(zeros))), HasSubstr("at most"));
  EXPECT_THAT(refusal(sealed_zstd(zstd_stream(zeros))), HasSubstr("at most"));
}

}  // namespace
}  // namespace perdure::storage::ocdbt
