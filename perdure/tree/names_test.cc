#include "perdure/tree/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"
#include "perdure/tree/value.h"

namespace perdure::tree {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const Value& value) {
  try {
    check_unique_names(flatten(value).structure);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInvalid);
    return error.message();
  }
  return "";
}

TEST(LeafNames, JoinKeysWithDotsAndLeaveEmptyContainersOut) {
  const Value state = Value::dict({{"a", Value::list({1, Value::list({}), Value::dict({{KeyTuple{"x", 1}, 2}})})}, {7, 3}});
  EXPECT_THAT(leaf_names(flatten(state).structure), ElementsAre("a.0", "a.2.('x', 1)", "7"));
}

TEST(SpelledPath, TellsAPositionFromATextAndADotFromALevel) {
  const Structure structure = flatten(Value::dict({{"p", Value::dict({{1, 1}, {"1", 2}, {"q", 3}})}, {"a.b", 4}})).structure;
  EXPECT_EQ(spelled_at(structure, 2), "p[1]");
  EXPECT_EQ(spelled_at(structure, 3), "p['1']");
  EXPECT_EQ(spelled_at(structure, 4), "p.q");
  EXPECT_EQ(spelled_at(structure, 5), "['a.b']");
  EXPECT_EQ(spelled_at(structure, 1), "p");
  EXPECT_EQ(dotted_at(structure, 0), "");
}

TEST(UniqueNames, TwoKeyPathsWithOneNameAreRefusedWithBothSpelled) {
  EXPECT_THAT(refusal(Value::dict({{"a.b", 1}, {"a", Value::dict({{"b", 2}})}})),
              AllOf(HasSubstr("['a.b']"), HasSubstr("and a.b")));
  EXPECT_THAT(refusal(Value::dict({{"p", Value::dict({{1, 1}, {"1", 2}})}})), AllOf(HasSubstr("p[1]"), HasSubstr("p['1']")));
  EXPECT_THAT(refusal(Value::dict({{"a.0", 1}, {"a", Value::list({2})}})), AllOf(HasSubstr("['a.0']"), HasSubstr("a[0]")));
  const Value empties = Value::dict({{"a.b", Value::dict({})}, {"a", Value::dict({{"b", Value::list({})}})}});
  EXPECT_THAT(refusal(empties), HasSubstr("a.b"));
}

TEST(UniqueNames, NamesThatOnlyShareABeginningAreFine) {
  EXPECT_EQ(refusal(Value::dict({{"a", 1}, {"a.b", 2}, {"a/b", 3}, {"", 4}, {"A", 5}})), "");
  EXPECT_EQ(refusal(5), "");
}

}  // namespace
}  // namespace perdure::tree
