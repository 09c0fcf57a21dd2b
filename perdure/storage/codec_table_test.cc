#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

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
    EXPECT_EQ(expansion_max(*row.make(json::Value(), 4)), row.expansion_max);
  }
}

TEST(CodecTable, CallsEveryCodecAsOtherLibrariesDo) {
  using Row = std::tuple<std::string_view, std::string_view, std::string_view, bool>;  // name, in v2, in v3, may a save choose it
  std::vector<Row> rows;
  for (const CodecRow& row : codec_table()) rows.emplace_back(row.name, row.zarr2, row.zarr3, row.configuration != nullptr);
  EXPECT_THAT(rows, testing::UnorderedElementsAre(Row("zstd", "zstd", "zstd", true), Row("crc32c", "", "crc32c", false),
                                                  Row("gzip", "gzip", "gzip", false), Row("blosc", "blosc", "blosc", false),
                                                  Row("zlib", "zlib", "", false), Row("bz2", "bz2", "", false)));
}

TEST(CodecTable, KnowsWhichZarrVersionHasWhichCodec) {
  EXPECT_EQ(make_codec("bz2", json::Value(), {.zarr_format = 2})->name(), "bz2");
  EXPECT_THROW(make_codec("bz2", json::Value(), {.zarr_format = 3}), Error);
  EXPECT_EQ(make_codec("crc32c", json::Value(), {.zarr_format = 3})->name(), "crc32c");
  EXPECT_THROW(make_codec("crc32c", json::Value(), {.zarr_format = 2}), Error);
}

TEST(CodecTable, NamesAnUnknownCodec) {
  try {
    make_codec("lzma", json::Value(), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInvalid);
    EXPECT_EQ(error.message(), "unknown codec 'lzma'");
  }
}

TEST(CodecTable, NamesTheCodecWhoseConfigurationIsBad) {
  try {
    make_codec("gzip", json::Object{{"level", 99}}, {});
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
    EXPECT_TRUE(std::ranges::any_of(choices, [](const auto& choice) { return choice && choice->name == CodecChoice{}.name; }));
    for (const auto& choice : choices) {
      if (!choice) continue;
      const CodecMetadata chosen = chosen_codec(*choice, {zarr_format, 4});
      EXPECT_EQ(make_codec(chosen.name, chosen.configuration, {zarr_format, 4})->name(), choice->name);
    }
  }
}

TEST(CodecTable, TriesAsHardAsASaveChose) {
  EXPECT_EQ(chosen_codec({.level = 7}, {}).configuration.as_object().at("level").as_int64(), 7);
}

TEST(CodecTable, RefusesAChoiceThatCannotBeWritten) {
  const auto refusal = [](const CodecChoice& choice) {
    return test::message_of_failure(ErrorKind::kInvalid, [&] { chosen_codec(choice, {}); });
  };
  EXPECT_EQ(refusal({.name = "lzma"}), "codec 'lzma' is not one to write in Zarr v3");
  EXPECT_EQ(refusal({.name = "crc32c"}), "codec 'crc32c' is not one to write in Zarr v3");
  EXPECT_THAT(refusal({.level = 99}), testing::MatchesRegex("level 99 of codec 'zstd': expected an integer .*, found 99"));
}

TEST(CodecTable, IgnoresKeysThatSteerOtherEncoders) {
  EXPECT_EQ(
      make_codec("zstd", json::Object{{"id", "zstd"}, {"level", 1}, {"checksum", false}, {"strategy", 3}}, {.zarr_format = 2})
          ->name(),
      "zstd");
}

}  // namespace
}  // namespace perdure::storage
