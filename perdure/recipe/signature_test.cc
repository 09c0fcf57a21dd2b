#include "perdure/recipe/signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace perdure::recipe;
using ::testing::HasSubstr;

namespace {

using Kind = Parameter::Kind;

Parameter parameter(std::string name, Kind kind = Kind::kPlain, bool has_default = false) {
  Parameter made;
  made.name = std::move(name);
  made.kind = kind;
  made.has_default = has_default;
  return made;
}

std::string fault(const Signature& signature, std::size_t positional_count, const std::vector<std::string>& names) {
  return call_fault(signature, positional_count, names);
}

const Signature kPlainTwo{{parameter("a"), parameter("b", Kind::kPlain, true)}};
const Signature kAll{{parameter("a"), parameter("rest", Kind::kVarPositional), parameter("k", Kind::kKeywordOnly),
                      parameter("more", Kind::kVarKeyword)}};

}  // namespace

TEST(CallFault, IsEmptyForWhatPythonWouldCall) {
  EXPECT_EQ(fault(kPlainTwo, 0, {"a"}), "");
  EXPECT_EQ(fault(kPlainTwo, 0, {"b", "a"}), "");
  EXPECT_EQ(fault(kPlainTwo, 2, {}), "");
  EXPECT_EQ(fault(kPlainTwo, 1, {"b"}), "");
  EXPECT_EQ(fault(kAll, 3, {"k", "anything"}), "");
}

TEST(CallFault, NamesWhatIsUnknownTwiceMissingOrTooMuch) {
  EXPECT_THAT(fault(kPlainTwo, 0, {"a", "c"}), HasSubstr("no argument 'c'"));
  EXPECT_THAT(fault(kPlainTwo, 1, {"a"}), HasSubstr("twice: 'a'"));
  EXPECT_THAT(fault(kPlainTwo, 0, {"b"}), HasSubstr("needs 'a'"));
  EXPECT_THAT(fault(kPlainTwo, 3, {}), HasSubstr("too many"));
  EXPECT_THAT(fault(kAll, 1, {}), HasSubstr("needs 'k'"));
  EXPECT_THAT(fault(kAll, 0, {"k"}), HasSubstr("needs 'a'"));
}

TEST(Signature, HandsUnknownNamesToTheParameterThatTakesAny) {
  EXPECT_EQ(kPlainTwo.find("c"), nullptr);
  EXPECT_EQ(kAll.find("c")->name, "more");
  EXPECT_EQ(kAll.find("rest")->name, "more");  // a keyword called `rest` does not reach *rest
}

TEST(Signature, CannotBeCalledByNameWithPositionalOnlyParameters) {
  const Signature signature{{parameter("x", Kind::kPositionalOnly, true), parameter("y")}};
  EXPECT_THROW(check_callable_by_name(signature, "a.b", JsonPath()), RecipeError);
  check_callable_by_name(kAll, "a.b", JsonPath());
}
