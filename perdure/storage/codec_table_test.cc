#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"
#include "perdure/storage/codec.h"

namespace perdure::storage {
namespace {

TEST(CodecTable, MakesEveryRowUnderItsOwnName) {
  for (const CodecRow& row : codec_table()) EXPECT_EQ(row.make(json::Value(), 4)->name(), row.name);
}

TEST(CodecTable, BoundsHowFarZerosExpand) {
  const Blob zeros = Blob::from(std::string(16 << 20, '\0'));
  for (const CodecRow& row : codec_table()) {
    EXPECT_GE(row.make(json::Value(), 4)->encode(zeros).size() * row.expansion_max, zeros.size()) << row.name;
    EXPECT_LE(row.expansion_max, expansion_max());
  }
}

TEST(CodecTable, KnowsWhichZarrVersionHasWhichCodec) {
  EXPECT_EQ(make_codec("bz2", json::Value(), 2, 1)->name(), "bz2");
  EXPECT_THROW(make_codec("bz2", json::Value(), 3, 1), Error);
  EXPECT_EQ(make_codec("crc32c", json::Value(), 3, 1)->name(), "crc32c");
  EXPECT_THROW(make_codec("crc32c", json::Value(), 2, 1), Error);
}

TEST(CodecTable, NamesAnUnknownCodec) {
  try {
    make_codec("lzma", json::Value(), 3, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInvalid);
    EXPECT_EQ(error.message(), "unknown codec 'lzma'");
  }
}

TEST(CodecTable, NamesTheCodecWhoseConfigurationIsBad) {
  try {
    make_codec("gzip", json::Object{{"level", 99}}, 3, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
    EXPECT_EQ(error.message(), "expected an integer from -1 to 9, found 99");
    EXPECT_THAT(error.notes(), testing::ElementsAre("member 'level'", "configuration of codec 'gzip'"));
  }
}

TEST(CodecTable, IgnoresKeysThatSteerOtherEncoders) {
  EXPECT_EQ(make_codec("zstd", json::Object{{"id", "zstd"}, {"level", 1}, {"checksum", false}, {"strategy", 3}}, 2, 1)->name(),
            "zstd");
}

}  // namespace
}  // namespace perdure::storage
