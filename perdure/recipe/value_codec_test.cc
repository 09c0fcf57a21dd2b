#include "perdure/recipe/value_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "perdure/recipe/canonical.h"
#include "perdure/recipe/convert.h"

using namespace perdure;
using namespace perdure::recipe;
using ::testing::HasSubstr;

namespace {

using Kind = Expected::Kind;

std::string text_of(const Value& value, const Expected& expected = {}) {
  return json::dump(encode(value, {expected, nullptr}, JsonPath()), {.ascii = false});
}

Value read(const std::string& text, const Expected& expected = {}) {
  const auto written = std::make_shared<const json::Value>(canonical_json(text));
  return decode(written, *written, {expected, nullptr}, JsonPath());
}

std::string fault_of(const std::string& text, const Expected& expected = {}) {
  try {
    read(text, expected);
  } catch (const RecipeError& error) {
    return error.message();
  }
  return "no fault";
}

Expected kind(Kind kind) {
  Expected expected;
  expected.kind = kind;
  return expected;
}

Expected list_of(Kind item) {
  Expected expected = kind(Kind::kList);
  expected.items = {kind(item)};
  return expected;
}

}  // namespace

TEST(ValueCodec, WritesWhatJsonHasPlainlyAndTagsTheRest) {
  EXPECT_EQ(text_of(to_value(1)), "1");
  EXPECT_EQ(text_of(to_value(1.0)), "1.0");
  EXPECT_EQ(text_of(to_value(-0.0)), "-0.0");
  EXPECT_EQ(text_of(to_value(std::numeric_limits<double>::infinity())), R"({"__float__":"inf"})");
  EXPECT_EQ(text_of(to_value(std::tuple<int, std::string>{1, "x"})), R"({"__tuple__":[1,"x"]})");
  EXPECT_EQ(text_of({Blob::from(std::string("hi!"))}), R"({"__bytes__":"aGkh"})");
  EXPECT_EQ(text_of({DictValue{{{to_value(1), to_value("a")}}}}), R"({"__dict__":[[1,"a"]]})");
}

TEST(ValueCodec, EscapesDictsThatLookLikeSomethingElse) {
  for (const char* text : {R"({"__tuple__":[1]})", R"({"__anything__":1})", R"({"cls_path":"a.b","timestamp":"t"})"}) {
    const auto plain = canonical_json(text);
    DictValue dict;
    for (const auto& [key, member] : plain.as_object().members()) {
      dict.items.push_back({to_value(key), member.is_string() ? to_value(member.as_string()) : to_value(1)});
    }
    const std::string written = text_of({dict});
    EXPECT_THAT(written, HasSubstr("__dict__"));
    EXPECT_EQ(read(written).get_if<DictValue>()->items.size(), dict.items.size());
  }
  EXPECT_EQ(text_of({DictValue{{{to_value("__a__"), to_value(1)}, {to_value("__b__"), to_value(2)}}}}),
            R"({"__a__":1,"__b__":2})");
}

TEST(ValueCodec, KeepsEveryBitOfANan) {
  for (const std::uint64_t bits : {0x7ff8000000000000U, 0xfff8000000000000U, 0x7ff0000000000001U, 0x7fffffffffffffffU}) {
    const Value back = read(text_of(to_value(std::bit_cast<double>(bits))));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*back.get_if<double>()), bits);
  }
}

TEST(ValueCodec, RefusesTagsThatItDoesNotWrite) {
  for (const char* text : {R"({"__unknown__":1})",
                           R"({"__float__":"1.5"})",
                           R"({"__float__":"0x3ff0000000000000"})",
                           R"({"__float__":"0x7ff8000000000000"})",
                           R"({"__float__":"NaN"})",
                           R"({"__float__":1.0})",
                           R"({"__int__":"0012"})",
                           R"({"__int__":"1e5"})",
                           R"({"__int__":5})",
                           R"({"__bytes__":"aGkh="})",
                           R"({"__bytes__":"aGl="})",
                           R"({"__bytes__":[1]})",
                           R"({"__complex__":[1.0]})",
                           R"({"__complex__":[1,2]})",
                           R"({"__tuple__":1})",
                           R"({"__dict__":[[1]]})",
                           R"({"__dict__":[[[1],2]]})",
                           R"({"__dict__":{}})",
                           R"({"__type__":5})",
                           R"({"__type__":"int"})",
                           R"({"__spec__":[]})",
                           R"({"__dtype__":"torch.nn"})",
                           R"({"__dtype__":"float32"})",
                           R"({"__dtype__":"numpy.load"})",
                           R"({"__dtype__":"os.system"})",
                           R"({"__device__":"cuda:-1"})",
                           R"({"__path__":["Path"]})",
                           R"({"__path__":["system","x"]})",
                           R"({"__enum__":{"class":"a.B"}})",
                           R"({"__enum__":{"class":"a.B","name":""}})",
                           R"({"__enum__":{"class":"a.B","name":1}})",
                           R"({"__dataclass__":{"class":"a.B","fields":{}}})",
                           R"({"__dataclass__":{"class":"a.B","fields":[["x",1],["x",2]]}})",
                           R"({"__object__":{"class":"a.B"}})",
                           R"({"__array__":{"dtype":"int8","shape":[],"data":1}})",
                           R"({"__text__":1})"}) {
    EXPECT_NE(fault_of(text), "no fault") << text;
    EXPECT_NE(fault_of(std::string("[0,{\"k\":") + text + "}]").find("$[1].k"), std::string::npos) << text;
  }
}

TEST(ValueCodec, LetsAnAnnotationSettleTheForm) {
  EXPECT_EQ(text_of({DtypeValue{"torch.float32"}}, kind(Kind::kDtype)), R"("torch.float32")");
  EXPECT_EQ(text_of({DtypeValue{"torch.float32"}}), R"({"__dtype__":"torch.float32"})");
  EXPECT_EQ(text_of({TupleValue{{to_value(1)}}}, kind(Kind::kTuple).repeats ? Expected{} : kind(Kind::kAny)),
            R"({"__tuple__":[1]})");
  Expected tuple = kind(Kind::kTuple);
  tuple.repeats = true;
  EXPECT_EQ(text_of({TupleValue{{to_value(1)}}}, tuple), "[1]");
  EXPECT_TRUE(read("[1]", tuple).is<TupleValue>());
  EXPECT_EQ(text_of(to_value("torch.float32"), kind(Kind::kNamedLikeDtype)), R"({"__text__":"torch.float32"})");
  EXPECT_EQ(text_of(to_value("gelu"), kind(Kind::kNamedLikeDtype)), R"("gelu")");
}

TEST(ValueCodec, RefusesWhatDoesNotFitAndSaysWhere) {
  EXPECT_THAT(fault_of(R"("3")", kind(Kind::kInt)), HasSubstr("expected int, found text (at $)"));
  EXPECT_THAT(fault_of(R"([1,"x"])", list_of(Kind::kInt)), HasSubstr("expected int, found text (at $[1])"));
  EXPECT_EQ(fault_of("2", kind(Kind::kFloat)), "no fault");
  EXPECT_THAT(fault_of("2.5", kind(Kind::kInt)), HasSubstr("found a float"));
  EXPECT_THAT(fault_of("1", kind(Kind::kBool)), HasSubstr("expected bool"));
  EXPECT_THAT(fault_of("null", kind(Kind::kInt)), HasSubstr("found None"));
}

TEST(ValueCodec, TakesTheDefaultOfAParameterWhateverItsAnnotation) {
  const json::Value written_default("auto");
  const ArgumentForm form{kind(Kind::kInt), &written_default};
  EXPECT_EQ(encode(to_value("auto"), form, JsonPath()), written_default);
  const auto owner = std::make_shared<const json::Value>(written_default);
  EXPECT_TRUE(decode(owner, *owner, form, JsonPath()).is<Text>());
  EXPECT_THROW(encode(to_value("other"), form, JsonPath()), RecipeError);
}

TEST(ArrayCodec, CountsBeforeItAllocates) {
  const auto tensor = [](const std::string& dtype, const std::string& shape, const std::string& data) {
    return fault_of(R"({"__tensor__":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data":)" + data + "}}");
  };
  EXPECT_EQ(tensor("torch.uint8", "[2,1]", "[[1],[2]]"), "no fault");
  EXPECT_EQ(tensor("torch.uint8", "[2,1]", "[1,2]"), "no fault");
  EXPECT_EQ(tensor("torch.float32", "[]", "0.1"), "no fault");
  for (const char* shape : {"[4294967296,4294967296]", "[9223372036854775808,2]", "[18446744073709551616]", "[-1]", "[1.0]",
                            "[true]", "2", "[0,9223372036854775807]"}) {
    EXPECT_THAT(tensor("torch.uint16", shape, "[]"), HasSubstr("$.__tensor__.")) << shape;
  }
  EXPECT_THAT(tensor("torch.uint8", "[1000000000000]", R"({"__bytes__":""})"), HasSubstr("do not fill"));
  EXPECT_THAT(tensor("torch.uint8", "[2]", "[1,256]"), HasSubstr("data[1]"));
  EXPECT_THAT(tensor("torch.int8", "[1]", "[1.0]"), HasSubstr("integer"));
  EXPECT_THAT(tensor("torch.float16", "[1]", "[1e6]"), HasSubstr("does not hold"));
  EXPECT_THAT(tensor("torch.bool", "[1]", "[1]"), HasSubstr("expected an element"));
  EXPECT_THAT(tensor("float33", "[1]", "[1]"), HasSubstr("no dtype"));
  EXPECT_THAT(tensor("torch.int4", "[1]", "[1]"), HasSubstr("no tensors of 'int4'"));
}

TEST(Canonical, HasOneTextForEachValue) {
  const auto text = [](const char* given) { return json::dump(canonical_json(given), {.ascii = false}); };
  EXPECT_EQ(text("[1.50, 1E2, -0, 0.0, 1e-400]"), "[1.5,100.0,0,0.0,0.0]");
  EXPECT_EQ(text(R"("\u0061\/")"), R"("a/")");
  EXPECT_THAT(text(std::string(5000, '7').c_str()), HasSubstr("__int__"));
}

TEST(Canonical, RefusesWhatIsNoStrictJson) {
  for (const char* given : {"NaN", "[-Infinity]", "1e400", R"({"a":1,"a":2})", "", "[", "1 2"}) {
    EXPECT_THROW(canonical_json(given), RecipeError) << given;
  }
  EXPECT_THROW(canonical_json(std::string(1'000'000, '[')), RecipeError);
  EXPECT_THROW(canonical_json(std::string(200'000, '9')), RecipeError);
}
