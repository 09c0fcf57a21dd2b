#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"
#include "perdure/storage/codec.h"
#include "tests/support/failures.h"

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

TEST(CodecTable, MakesWhatASaveMayChooseOfItsOwnConfiguration) {
  int count = 0;
  for (const CodecRow& row : codec_table()) {
    if (row.configuration == nullptr) continue;
    for (const int zarr_format : {2, 3}) {
      if (!(zarr_format == 2 ? row.zarr2 : row.zarr3)) continue;
      const json::Value configuration = chosen_configuration({.name = std::string(row.name), .level = 2}, zarr_format);
      EXPECT_EQ(configuration.as_object().at("level").as_int64(), 2);
      EXPECT_EQ(make_codec(row.name, configuration, zarr_format, 4)->name(), row.name);
      ++count;
    }
  }
  EXPECT_GE(count, 2);
}

TEST(CodecTable, RefusesAChoiceThatCannotBeWritten) {
  const auto refusal = [](const CodecChoice& choice) {
    return test::message_of_failure(ErrorKind::kInvalid, [&] { chosen_configuration(choice, 3); });
  };
  EXPECT_EQ(refusal({.name = "lzma"}), "codec 'lzma' is not one to write in Zarr v3");
  EXPECT_EQ(refusal({.name = "crc32c"}), "codec 'crc32c' is not one to write in Zarr v3");
  EXPECT_THAT(refusal({.level = 99}), testing::MatchesRegex("level 99 of codec 'zstd': expected an integer .*, found 99"));
}

TEST(CodecTable, IgnoresKeysThatSteerOtherEncoders) {
  EXPECT_EQ(make_codec("zstd", json::Object{{"id", "zstd"}, {"level", 1}, {"checksum", false}, {"strategy", 3}}, 2, 1)->name(),
            "zstd");
}

}  // namespace
}  // namespace perdure::storage
