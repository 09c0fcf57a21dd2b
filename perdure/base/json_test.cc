#include "perdure/base/json.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>

#include "perdure/base/error.h"
#include "perdure/base/utf8.h"
#include "tests/support/failures.h"

namespace perdure::json {
namespace {

ErrorKind parse_failure(std::string_view text) {
  return test::kind_of_failure([&] { parse(text); });
}

std::string parse_message(std::string_view text) {
  try {
    parse(text);
  } catch (const Error& error) {
    return error.message();
  }
  return "accepted";
}

/// A value of any kind, nested at most `depth` deep.
Value random_value(std::mt19937_64& random, int depth) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  const auto text = [&] {
    std::string out;
    for (std::uint64_t i = below(6); i > 0; --i) {
      const char32_t code_point = static_cast<char32_t>(below(2) ? below(0x80) : below(0x110000));
      append_code_point(out, is_surrogate(code_point) ? 0xd800 : code_point);  // high ones never pair
    }
    return out;
  };
  switch (below(depth > 0 ? 8 : 6)) {
    case 0: return nullptr;
    case 1: return below(2) == 0;
    case 2: return static_cast<std::int64_t>(random());
    case 3: return random();
    case 4: return std::bit_cast<double>(random());
    case 5: return text();
    case 6: {
      Array items;
      for (std::uint64_t i = below(4); i > 0; --i) items.push_back(random_value(random, depth - 1));
      return items;
    }
    default: {
      Object members;
      for (std::uint64_t i = below(4); i > 0; --i) members.add(text(), random_value(random, depth - 1));
      return members;
    }
  }
}

constexpr std::string_view kDocument =
    R"({"a": [1, -0.5e-3, "x\ud800\u00e9\n", {"": null}], "b": {"c": true, "d": [[], {}, false, NaN, -Infinity]}, "a": "é"})";

TEST(JsonRoundTrip, GivesTheSameValue) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const Value value = random_value(random, 4);
    for (const int indent : {0, 2}) {
      for (const bool ascii : {false, true}) ASSERT_EQ(parse(dump(value, {.indent = indent, .ascii = ascii})), value);
    }
  }
}

TEST(JsonRoundTrip, GivesTheSameDouble) {
  for (std::uint64_t seed = 0; seed < 100'000; ++seed) {
    const double value = std::bit_cast<double>(std::mt19937_64(seed)());
    const double back = parse(dump(Value(value))).as_double();
    ASSERT_TRUE(std::isnan(value) ? std::isnan(back) : std::bit_cast<std::uint64_t>(back) == std::bit_cast<std::uint64_t>(value));
  }
}

TEST(JsonParse, KeepsOrderAndDuplicateKeysAndFindsTheLast) {
  const Value value = parse(kDocument);
  const Object& object = value.as_object();
  ASSERT_EQ(object.size(), 3);
  EXPECT_EQ(object.members()[0].first, "a");
  EXPECT_EQ(object.members()[1].first, "b");
  EXPECT_EQ(object.at("a").as_string(), "\u00e9");
  EXPECT_EQ(object.find("z"), nullptr);
}

TEST(JsonParse, KeepsNumbersAsTheirText) {
  const std::string huge = "-" + std::string(5000, '9');
  for (const std::string& text :
       {huge, std::string("1e400"), std::string("-0.0"), std::string("1.50E+07"), std::string("Infinity")}) {
    EXPECT_EQ(parse(text).as_number().text, text);
  }
}

TEST(JsonParse, JoinsSurrogatePairsAndKeepsLoneOnes) {
  EXPECT_EQ(parse(R"("\ud83d\ude00")").as_string(), "\xf0\x9f\x98\x80");
  EXPECT_EQ(parse(R"("\ud83d")").as_string(), "\xed\xa0\xbd");
  EXPECT_EQ(parse(R"("\ude00\ud83d")").as_string(), "\xed\xb8\x80\xed\xa0\xbd");
  EXPECT_EQ(parse(R"("\ud83d\ud83d\ude00")").as_string(), "\xed\xa0\xbd\xf0\x9f\x98\x80");
  EXPECT_EQ(parse(R"("\ud83d\n")").as_string(), "\xed\xa0\xbd\n");
}

TEST(JsonParse, RejectsEveryTruncation) {
  for (std::size_t size = 0; size < kDocument.size(); ++size) {
    EXPECT_EQ(parse_failure(kDocument.substr(0, size)), ErrorKind::kCorrupt) << "size " << size;
  }
}

TEST(JsonParse, RejectsWhatPythonRejects) {
  // clang-format off
  for (const std::string_view text :
       {"", " ", "[1,]", "[,1]", "{,}", "{\"a\":1,}", "{\"a\"}", "{a:1}", "{1:2}", "[1 2]", "[1}", "{\"a\":1]", "01", "-",
        "+1", ".5", "1.", "1e", "1e+", "-NaN", "Inf", "nan", "True", "nul", "'a'", "\"\\x\"", "\"\\u12g4\"", "\"\n\"",
        "\"\t\"", "1 2", "]", "\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "// c\n1", "\xef\xbb\xbf" "1"}) {
    // clang-format on
    EXPECT_EQ(parse_failure(text), ErrorKind::kCorrupt) << text;
  }
  EXPECT_EQ(parse_failure(std::string_view("1\0", 2)), ErrorKind::kCorrupt);
  EXPECT_EQ(parse_failure(std::string_view("\"\0\"", 3)), ErrorKind::kCorrupt);
}

TEST(JsonParse, SaysWhere) {
  EXPECT_EQ(parse_message("[1, 2"), "JSON at byte 5: expected ',' or ']'");
  EXPECT_EQ(parse_message("{\"a\": x}"), "JSON at byte 6: expected a value");
  EXPECT_EQ(parse_message("[\"\xff\"]"), "JSON at byte 2: invalid UTF-8");
}

TEST(JsonParse, BoundsNesting) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(dump(parse(nested(1000))), nested(1000));
  EXPECT_EQ(parse_message(nested(1001)), "JSON at byte 1000: nested more than 1000 deep");
  EXPECT_EQ(parse_failure(std::string(10'000'000, '[')), ErrorKind::kCorrupt);
  std::string objects;
  while (objects.size() < 10'000'000) objects += "{\"a\":";
  EXPECT_EQ(parse_failure(objects), ErrorKind::kCorrupt);
  EXPECT_THROW(parse("[[1]]", {.depth_max = 1}), Error);
}

TEST(JsonDump, WritesAsPythonDoes) {
  const Value value(Object{{"a", Array{1, 2.0, "\u00e9\xed\xa0\x80\x7f\x01/\"\\", nullptr}}, {"b", Object{}}, {"c", Array{}}});
  EXPECT_EQ(dump(value), R"({"a":[1,2.0,"\u00e9\ud800\u007f\u0001/\"\\",null],"b":{},"c":[]})");
  EXPECT_EQ(dump(value, {.ascii = false}), "{\"a\":[1,2.0,\"\u00e9\\ud800\x7f\\u0001/\\\"\\\\\",null],\"b\":{},\"c\":[]}");
  EXPECT_EQ(dump(Object{{"a", Array{true}}, {"b", Object{}}}, {.indent = 2}), "{\n  \"a\": [\n    true\n  ],\n  \"b\": {}\n}");
  EXPECT_EQ(dump("\U0001f600"), R"("\ud83d\ude00")");
}

TEST(JsonDump, WritesFloatsThatPythonReadsAsFloats) {
  EXPECT_EQ(dump(1.0), "1.0");
  EXPECT_EQ(dump(-0.0), "-0.0");
  EXPECT_EQ(dump(0.1), "0.1");
  EXPECT_EQ(dump(1e22), "1e+22");
  EXPECT_EQ(dump(5e-324), "5e-324");
  EXPECT_EQ(dump(std::numeric_limits<double>::quiet_NaN()), "NaN");
  EXPECT_EQ(dump(-std::numeric_limits<double>::infinity()), "-Infinity");
}

TEST(JsonDump, RefusesStringsThatAreNotUtf8) {
  std::string out;
  EXPECT_THROW(append_quoted(out, "a\xff"), Error);
}

TEST(JsonValue, ChecksKindAndRangeOfWhatIsAskedFor) {
  EXPECT_EQ(parse("-9223372036854775808").as_int64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse("18446744073709551615").as_uint64(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_THROW(parse("18446744073709551616").as_uint64(), Error);
  EXPECT_THROW(parse("9223372036854775808").as_int64(), Error);
  EXPECT_THROW(parse("-1").as_uint64(), Error);
  EXPECT_THROW(parse("1.0").as_int64(), Error);
  EXPECT_THROW(parse("1").as_string(), Error);
  EXPECT_THROW(parse("[]").as_object(), Error);
  try {
    parse("\"x\"").as_int64();
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "expected an integer, found a string");
  }
}

TEST(JsonValue, ReadsDoublesBeyondTheRangeAsPythonDoes) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(parse("1e400").as_double(), inf);
  EXPECT_EQ(parse("-1e400").as_double(), -inf);
  EXPECT_EQ(parse(std::string(400, '9') + ".5").as_double(), inf);
  EXPECT_EQ(parse("1e99999999999999999999").as_double(), inf);
  EXPECT_EQ(parse("1e-400").as_double(), 0.0);
  EXPECT_EQ(parse("1e-99999999999999999999").as_double(), 0.0);
  EXPECT_EQ(parse("0." + std::string(400, '0') + "1").as_double(), 0.0);
  EXPECT_TRUE(std::signbit(parse("-1e-400").as_double()));
  EXPECT_EQ(parse("-Infinity").as_double(), -inf);
  EXPECT_TRUE(std::isnan(parse("NaN").as_double()));
}

TEST(JsonValue, CopiesAreIndependentAndMovesLeaveNull) {
  Value a = parse(R"({"x": [1, {"y": 2}]})");
  Value b = a;
  b.as_object().members()[0].second.as_array()[0] = 5;
  EXPECT_EQ(dump(a), R"({"x":[1,{"y":2}]})");
  EXPECT_EQ(dump(b), R"({"x":[5,{"y":2}]})");
  const Value c = std::move(b);
  EXPECT_TRUE(b.is_null());
  EXPECT_NE(a, c);
  a = Value(a.as_object().at("x"));
  a = std::move(a.as_array()[1]);
  EXPECT_EQ(dump(a), R"({"y":2})");
}

}  // namespace
}  // namespace perdure::json
