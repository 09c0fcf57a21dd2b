#include "perdure/base/object.h"

#include <gtest/gtest.h>

#include <limits>

namespace perdure {
namespace {

Key text(std::string utf8) { return {Text{std::move(utf8)}}; }
Key integer(std::int64_t value) { return {value}; }
Key tuple(KeyTuple keys) { return {std::make_shared<const KeyTuple>(std::move(keys))}; }
std::string repr(double value) { return Key{value}.repr(); }
std::string repr(std::string utf8) { return text(std::move(utf8)).repr(); }

TEST(Key, PrintsPlainKeysAsPythonDoes) {
  EXPECT_EQ(Key{None{}}.str(), "None");
  EXPECT_EQ(Key{true}.str(), "True");
  EXPECT_EQ(Key{false}.repr(), "False");
  EXPECT_EQ(integer(-3).str(), "-3");
  EXPECT_EQ(Key{BigInt{"-170141183460469231731687303715884105728"}}.repr(), "-170141183460469231731687303715884105728");
  EXPECT_EQ(text("w's").str(), "w's");
}

TEST(Key, PrintsFloatsAsPythonDoes) {
  EXPECT_EQ(repr(1.0), "1.0");
  EXPECT_EQ(repr(-0.0), "-0.0");
  EXPECT_EQ(repr(0.1), "0.1");
  EXPECT_EQ(repr(1e15), "1000000000000000.0");
  EXPECT_EQ(repr(9999999999999998.0), "9999999999999998.0");
  EXPECT_EQ(repr(1e16), "1e+16");
  EXPECT_EQ(repr(1.5e300), "1.5e+300");
  EXPECT_EQ(repr(0.0001), "0.0001");
  EXPECT_EQ(repr(0.00001), "1e-05");
  EXPECT_EQ(repr(5e-324), "5e-324");
  EXPECT_EQ(repr(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(repr(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(Key, QuotesTextAsPythonDoes) {
  EXPECT_EQ(repr(std::string("w")), "'w'");
  EXPECT_EQ(repr(std::string("it's")), "\"it's\"");
  EXPECT_EQ(repr(std::string("say \"hi\"")), "'say \"hi\"'");
  EXPECT_EQ(repr(std::string("it's \"hi\"")), "'it\\'s \"hi\"'");
  EXPECT_EQ(repr(std::string("a\\b\tc\nd\re\x1b\x7f")), "'a\\\\b\\tc\\nd\\re\\x1b\\x7f'");
  EXPECT_EQ(repr(std::string("\xc2\xa0 \xc3\xa9 \xe2\x80\xa8 \xf0\x9f\x90\x8d")), "'\\xa0 \xc3\xa9 \\u2028 \xf0\x9f\x90\x8d'");
}

TEST(Key, EscapesLoneSurrogatesAndMalformedBytes) {
  EXPECT_EQ(repr(std::string("\xed\xa0\x80")), "'\\ud800'");
  EXPECT_EQ(repr(std::string("\xff\xff\xc3")), "'\\xff\\xff\\xc3'");
}

TEST(Key, PrintsTuplesAsPythonDoes) {
  EXPECT_EQ(tuple({}).str(), "()");
  EXPECT_EQ(tuple({integer(1)}).str(), "(1,)");
  EXPECT_EQ(tuple({text("enc"), tuple({text("w"), Key{None{}}})}).str(), "('enc', ('w', None))");
}

TEST(Key, ComparesByKindAndContent) {
  EXPECT_EQ(tuple({text("a"), integer(1)}), tuple({text("a"), integer(1)}));
  EXPECT_FALSE(tuple({text("a")}) == tuple({text("b")}));
  EXPECT_FALSE(Key{true} == integer(1));
  EXPECT_FALSE(integer(1) == Key{1.0});
  EXPECT_FALSE(Key{0.0} == Key{-0.0});
  EXPECT_EQ(Key{std::numeric_limits<double>::quiet_NaN()}, Key{std::numeric_limits<double>::quiet_NaN()});
}

}  // namespace
}  // namespace perdure
