#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"
#include "perdure/storage/codec.h"
#include "tests/support/failures.h"
#include "tests/support/write_formats.h"

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
  for (const int zarr_format : {2, 3}) {
    const auto choices = codec_choices(zarr_format);
    EXPECT_EQ(choices[1]->name, CodecChoice{}.name);
    for (std::size_t i = 1; i < choices.size(); ++i) {
      const json::Value configuration = chosen_configuration(*choices[i], zarr_format);
      EXPECT_EQ(configuration.as_object().at("level").as_int64(), choices[i]->level);
      EXPECT_EQ(make_codec(choices[i]->name, configuration, zarr_format, 4)->name(), choices[i]->name);
    }
  }
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
