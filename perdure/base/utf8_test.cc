#include "perdure/base/utf8.h"

#include <gmock/gmock.h>

namespace perdure {
namespace {

TEST(Utf8, EveryCodePointRoundTrips) {
  for (char32_t code_point = 0; code_point <= 0x10ffff; ++code_point) {
    std::string text;
    append_code_point(text, code_point);
    ASSERT_EQ(utf8_size(text), is_surrogate(code_point) ? 0 : text.size())
        << "U+" << std::hex << static_cast<unsigned>(code_point);
    std::string_view rest = text;
    ASSERT_EQ(take_code_point(rest), code_point);
    ASSERT_TRUE(rest.empty());
  }
}

TEST(Utf8, RejectsMalformedSequences) {
  for (const std::string_view bad :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80",
        "\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xc3(", "\xe2\x82("}) {
    std::string_view rest = bad;
    EXPECT_EQ(take_code_point(rest), std::nullopt) << testing::PrintToString(bad);
    EXPECT_EQ(rest, bad);
  }
}

TEST(Utf8, FindsWhereStrictUtf8Ends) {
  for (const std::size_t before : {0, 1, 7, 8, 9, 20}) {
    EXPECT_EQ(utf8_size(std::string(before, 'a') + "\xff" + "abc"), before);
    EXPECT_EQ(utf8_size(std::string(before, 'a') + "\xc3\xa9\xff"), before + 2);
  }
  EXPECT_EQ(utf8_size(""), 0);
}

TEST(Utf8, CountsLoneSurrogatesAsText) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("a\xed\xa0\x80\xc3\xa9\xed\xbf\xbf"));
  EXPECT_FALSE(is_utf8("a\xed\xa0\x80\xff"));
  EXPECT_FALSE(is_utf8("\xc3"));
}

}  // namespace
}  // namespace perdure
