#include "perdure/checkpoint/orbax/strings.h"

#include <gtest/gtest.h>

#include "tests/support/failures.h"

namespace perdure::checkpoint {
namespace {

using test::kind_of_failure;

TEST(Strings, KeepLoneSurrogatesAsEscapes) {
  EXPECT_EQ(encode_strings({{"a", "x\"\n"}, {"b.\xc3\xa9", "\xed\xa0\x80"}}), R"({"a":"x\"\n","b.\u00e9":"\ud800"})");
  EXPECT_EQ(encode_strings({}), "{}");
}

TEST(Strings, ComeBackWithEveryEscape) {
  const auto strings = parse_strings(encode_strings({{"a", "x\"\n"}, {"b.\xc3\xa9", "\xed\xa0\x80"}}));
  EXPECT_EQ(strings.size(), 2U);
  EXPECT_EQ(strings.at("a"), "x\"\n");
  EXPECT_EQ(strings.at("b.\xc3\xa9"), "\xed\xa0\x80");
}

TEST(Strings, RefuseWhatIsNoTableOfTexts) {
  for (const char* text : {"", "[]", "{\"a\":1}", "{\"a\":\"x\"", "null"}) {
    EXPECT_EQ(kind_of_failure([&] { parse_strings(text); }), ErrorKind::kCorrupt) << text;
  }
}

}  // namespace
}  // namespace perdure::checkpoint
