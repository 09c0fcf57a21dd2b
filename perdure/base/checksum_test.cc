#include "perdure/base/checksum.h"

#include <gtest/gtest.h>

#include <random>

#include "perdure/base/checksum_portable.h"
#include "perdure/base/error.h"

namespace perdure {
namespace {

std::string random_text(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(engine());
  return text;
}

TEST(Crc32c, HasTheCheckValueOfTheStandard) {
  EXPECT_EQ(crc32c(as_bytes("123456789")), 0xe3069283u);
  EXPECT_EQ(crc32c_portable(as_bytes("123456789"), 0), 0xe3069283u);
  EXPECT_EQ(crc32c({}), 0u);
}

TEST(Crc32c, HasTheValuesOfRfc3720) {
  EXPECT_EQ(crc32c(as_bytes(std::string(32, '\0'))), 0x8a9136aau);
  EXPECT_EQ(crc32c(as_bytes(std::string(32, '\xff'))), 0x62a8ab43u);
}

TEST(Crc32c, PortableFormAgreesAtEverySizeAndAlignment) {
  const std::string text = random_text(300, 1);
  for (std::size_t begin = 0; begin < 9; ++begin) {
    for (std::size_t size = 0; begin + size <= text.size(); ++size) {
      const ByteView part = as_bytes(text).subspan(begin, size);
      ASSERT_EQ(crc32c(part, 0x12345678), crc32c_portable(part, 0x12345678)) << begin << " " << size;
    }
  }
}

TEST(Crc32c, RejectsEveryFlippedBit) {
  std::string text = random_text(64, 2);
  const std::uint32_t expected = crc32c(as_bytes(text));
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
    EXPECT_NE(crc32c(as_bytes(text)), expected) << bit;
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
  }
}

TEST(Crc32cCombine, IsTheCrcOfBothTogether) {
  const std::string text = random_text(5000, 3);
  const ByteView all = as_bytes(text);
  for (const std::size_t cut : {0, 1, 7, 64, 1000, 4096, 4999, 5000}) {
    const std::uint32_t first = crc32c(all.first(cut)), second = crc32c(all.subspan(cut));
    EXPECT_EQ(crc32c_combine(first, second, all.size() - cut), crc32c(all)) << cut;
    EXPECT_EQ(crc32c(all.subspan(cut), first), crc32c(all)) << cut;
    EXPECT_EQ(crc32c_behind(first, crc32c(all), all.size() - cut), second) << cut;
  }
}

TEST(Crc32cCombine, TakesSizesThatNoMemoryHolds) {
  const std::uint32_t start = 0x9a3c1f27;
  const auto longer = [](std::uint32_t crc, std::uint64_t size) { return crc32c_combine(crc, 0, size); };
  EXPECT_EQ(longer(longer(start, 1ull << 63), (1ull << 63) - 1), longer(start, ~0ull));
  EXPECT_EQ(longer(longer(start, (1ull << 40) - 5), 5), longer(start, 1ull << 40));
}

TEST(CopyAndCrc32c, CopiesAndReturnsTheCrcOfTheCopy) {
  for (const std::size_t size : {0, 1, 32767, 32768, 32769, 100001}) {
    const std::string source = random_text(size, 4);
    std::string target(size + 1, 'x');
    const ByteSpan span(reinterpret_cast<std::byte*>(target.data()), size);
    EXPECT_EQ(copy_and_crc32c(as_bytes(source), span, 77), crc32c(as_bytes(source), 77));
    EXPECT_EQ(target, source + "x");
  }
}

TEST(CheckCrc32c, SaysWhatIsStoredAndWhatWasComputed) {
  const std::string text = "abcd";
  EXPECT_EQ(trailing_crc32c(as_bytes("x" + text)), 0x64636261);
  EXPECT_EQ(as_text(crc32c_bytes(0x64636261)), text);
  check_crc32c(7, 7);
  try {
    check_crc32c(0x64636261, 7);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
    EXPECT_EQ(error.message(), "crc32c: stored 0x64636261, computed 0x00000007");
  }
}

}  // namespace
}  // namespace perdure
