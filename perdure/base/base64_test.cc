#include "perdure/base/base64.h"

#include <gtest/gtest.h>

namespace perdure {
namespace {

TEST(Base64, ReadsWhatItWritesAndNothingElse) {
  for (std::size_t size = 0; size < 20; ++size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(i * 37 + 200);
    const auto back = from_base64(to_base64(as_bytes(bytes)));
    ASSERT_TRUE(back);
    EXPECT_EQ(as_text(*back), bytes);
  }
  for (const char* text : {"a", "aa", "aaa", "aa=a", "a===", "====", "aGk*", "aGl=", "aR==", "aGk=aGk="}) {
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
  }
}

TEST(Base64, HasLettersThatAUrlTakes) {
  EXPECT_EQ(to_base64(as_bytes("\xfb\xff?")), "+/8/");
  EXPECT_EQ(to_base64_url(as_bytes("\xfb\xff?")), "-_8_");
  EXPECT_EQ(to_base64_url(as_bytes("a")), "YQ==");
}

}  // namespace
}  // namespace perdure
