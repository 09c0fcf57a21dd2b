#include "perdure/storage/kvstore/key_text.h"

#include <gtest/gtest.h>

namespace perdure::storage {
namespace {

TEST(KeyText, KeepsUtf8AndEscapesEverythingElse) {
  EXPECT_EQ(key_text("params.größe/c/0"), "'params.größe/c/0'");
  EXPECT_EQ(key_text(std::string_view("a\0b\n\x7f", 5)), "'a\\x00b\\x0a\\x7f'");
  EXPECT_EQ(key_text("\xff\xfe"), "'\\xff\\xfe'");
  EXPECT_EQ(key_text("\xc3("), "'\\xc3('");
  EXPECT_EQ(key_text("\xed\xa0\x80"), "'\\xed\\xa0\\x80'");
}

}  // namespace
}  // namespace perdure::storage
