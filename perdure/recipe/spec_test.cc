#include "perdure/recipe/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/recipe/canonical.h"

using namespace perdure;
using namespace perdure::recipe;
using ::testing::ElementsAre;

namespace {

Spec spec_of(const std::string& text) { return Spec(std::make_shared<const json::Value>(canonical_json(text))); }

std::string path_of_fault(const std::string& text) {
  try {
    spec_of(text);
  } catch (const RecipeError& error) {
    return error.json_path();
  }
  return "no fault";
}

}  // namespace

TEST(Spec, ShowsNamesAndJsonOfItsArguments) {
  const Spec spec = spec_of(R"({"cls_path":"a.B","timestamp":"t","x":1,"y":[2]})");
  EXPECT_EQ(spec.cls_path(), "a.B");
  EXPECT_EQ(spec.timestamp(), "t");
  EXPECT_THAT(spec.names(), ElementsAre("x", "y"));
  EXPECT_EQ(*spec.find("x"), json::Value(1));
  EXPECT_EQ(spec.find("cls_path"), nullptr);
  EXPECT_EQ(spec.find("z"), nullptr);
  EXPECT_EQ(spec.text(), R"({"cls_path":"a.B","timestamp":"t","x":1,"y":[2]})");
  EXPECT_EQ(spec, Spec("a.B", "t", {{"x", 1}, {"y", json::Array{2}}}));
}

TEST(Spec, TellsWhereItIsMalformed) {
  EXPECT_EQ(path_of_fault("[]"), "$");
  EXPECT_EQ(path_of_fault(R"({"timestamp":"t"})"), "$");
  EXPECT_EQ(path_of_fault(R"({"cls_path":"a.b"})"), "$");
  EXPECT_EQ(path_of_fault(R"({"cls_path":5,"timestamp":"t"})"), "$.cls_path");
  EXPECT_EQ(path_of_fault(R"({"cls_path":"ab","timestamp":"t"})"), "$.cls_path");
  EXPECT_EQ(path_of_fault(R"({"cls_path":"a.b","timestamp":null})"), "$.timestamp");
  EXPECT_EQ(path_of_fault(R"({"cls_path":"a.b","timestamp":""})"), "$.timestamp");
  EXPECT_EQ(path_of_fault(R"({"cls_path":"a.b","timestamp":"t","_x":1})"), "$._x");
  EXPECT_EQ(path_of_fault(R"({"cls_path":"a.b","timestamp":"t","a b":1})"), "$['a b']");
  EXPECT_EQ(path_of_fault(R"({"cls_path":"a.b","timestamp":"t","build":1})"), "$.build");
}

TEST(JsonPath, QuotesWhatIsNoIdentifier) {
  EXPECT_EQ(JsonPath().key("a").index(3).key("b c").str(), "$.a[3]['b c']");
  EXPECT_EQ(JsonPath().key("").str(), "$['']");
  EXPECT_LT(JsonPath().key(std::string(100'000, 'x')).str().size(), 200U);
}
