#include "perdure/tree/match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "perdure/base/error.h"
#include "perdure/tree/value.h"

namespace perdure::tree {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

Match matched(const Value& target, const Value& stored, const MatchOptions& options = {},
              const std::vector<bool>& maybe_empty = {}) {
  return match(flatten(target).structure, flatten(stored).structure, options, maybe_empty);
}

std::string refusal(const Value& target, const Value& stored, const MatchOptions& options = {},
                    const std::vector<bool>& maybe_empty = {}) {
  try {
    matched(target, stored, options, maybe_empty);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kMismatch);
    return error.message();
  }
  return "";
}

constexpr MatchOptions kPartial = {.unused = MatchOptions::Unused::kIgnore};
constexpr MatchOptions kKeep = {.missing = MatchOptions::Missing::kKeep};

TEST(Match, FindsLeavesByKeyPathWhateverTheirOrder) {
  EXPECT_THAT(matched(Value::dict({{"b", 0}, {"a", 0}}), Value::dict({{"a", 1}, {"b", 2}})).stored, ElementsAre(1u, 0u));
}

TEST(Match, TakesAnyKindOfContainerWhoseKeysAgree) {
  const Value stored = Value::list({1, 2});
  EXPECT_THAT(matched(Value::tuple({0, 0}), stored).stored, ElementsAre(0u, 1u));
  EXPECT_THAT(matched(Value::dict({{"1", 0}, {"0", 0}}), stored).stored, ElementsAre(1u, 0u));
  EXPECT_THAT(matched(Value::dict({{0, 0}, {1, 0}}), stored).stored, ElementsAre(0u, 1u));
  const Value record = Value::container(NodeKind::kRecord, {"m", "State"}, {{"mu", 0}});
  EXPECT_THAT(matched(record, Value::dict({{"mu", 1}})).stored, ElementsAre(0u));
}

TEST(Match, NamesEveryMissingAndUnusedKeyPath) {
  const Value target = Value::dict({{"a", 0}, {"new", Value::list({0, 0})}});
  const Value stored = Value::dict({{"a", 1}, {"old", Value::dict({{"x", 1}})}});
  EXPECT_EQ(refusal(target, stored),
            "template and checkpoint differ: not in the checkpoint: 'new.0', 'new.1'; not in the template: 'old.x'");
}

TEST(Match, NamesThemAllHoweverMany) {
  Value::Items items;
  for (int i = 0; i < 3000; ++i) items.push_back({i, i});
  EXPECT_THAT(refusal(Value::dict({}), Value::dict(items)),
              AllOf(HasSubstr("'0', '1', "), HasSubstr("'1500'"), EndsWith("'2999'")));
}

TEST(Match, APartialLoadIgnoresUnusedButNotMissing) {
  const Value stored = Value::dict({{"a", 1}, {"b", 2}});
  const Match result = matched(Value::dict({{"b", 0}}), stored, kPartial);
  EXPECT_THAT(result.stored, ElementsAre(1u));
  EXPECT_THAT(result.unused, ElementsAre(0u));
  EXPECT_THAT(refusal(Value::dict({{"zz", 0}}), stored, kPartial), AllOf(HasSubstr("'zz'"), Not(HasSubstr("'a'"))));
}

TEST(Match, MissingLeavesCanBeKept) {
  const Match result = matched(Value::dict({{"a", 0}, {"new", 0}}), Value::dict({{"a", 1}}), kKeep);
  EXPECT_THAT(result.stored, ElementsAre(std::optional(0u), std::nullopt));
  EXPECT_THAT(result.missing, ElementsAre(1u));
}

TEST(Match, EmptyContainersMatchWhatIsNoLeaf) {
  const Value empty = Value::list({});
  EXPECT_EQ(refusal(Value::dict({{"h", Value::dict({})}}), Value::dict({{"h", empty}})), "");
  EXPECT_EQ(refusal(Value::dict({}), Value::dict({{"h", empty}})), "");
  EXPECT_EQ(refusal(Value::dict({{"h", empty}}), Value::dict({})), "");
  const Value full = Value::dict({{"h", Value::list({1})}});
  EXPECT_THAT(refusal(Value::dict({{"h", empty}}), full), HasSubstr("not in the template: 'h.0'"));
  EXPECT_THAT(refusal(full, Value::dict({{"h", empty}})), HasSubstr("not in the checkpoint: 'h.0'"));
  EXPECT_THAT(refusal(Value::dict({{"h", 1}}), Value::dict({{"h", empty}})), HasSubstr("'h'"));
  EXPECT_THAT(refusal(Value::dict({{"h", empty}}), Value::dict({{"h", None{}}})), HasSubstr("'h'"));
}

TEST(Match, AnEmptyContainerMatchesALeafThatMayBeOne) {
  const Value stored = Value::dict({{"a", None{}}, {"b", None{}}, {"c", 1}});
  const Value empty = Value::tuple({});
  const std::vector<bool> maybe_empty = {true, false, false};
  EXPECT_EQ(refusal(Value::dict({{"a", empty}, {"b", 0}, {"c", 0}}), stored, {}, maybe_empty), "");
  EXPECT_EQ(refusal(Value::dict({{"a", 0}, {"b", 0}, {"c", 0}}), stored, {}, maybe_empty), "");
  EXPECT_THAT(refusal(Value::dict({{"a", empty}, {"b", empty}, {"c", empty}}), stored, {}, maybe_empty),
              EndsWith("not in the template: 'b', 'c'"));
  EXPECT_THAT(refusal(Value::dict({{"b", 0}, {"c", 0}}), stored, {}, maybe_empty), EndsWith("not in the template: 'a'"));
}

TEST(Match, ABareLeafMatchesABareLeaf) {
  EXPECT_THAT(matched(0, 1).stored, ElementsAre(0u));
  EXPECT_NE(refusal(0, Value::dict({{"a", 1}})), "");
}

TEST(Match, OneStoredLeafDoesNotFillTwo) {
  const std::function<void()> twice = [] { matched(Value::dict({{1, 0}, {"1", 0}}), Value::dict({{"1", 0}})); };
  try {
    twice();
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInvalid);
    EXPECT_THAT(error.message(), AllOf(HasSubstr("[1]"), HasSubstr("['1']")));
  }
}

}  // namespace
}  // namespace perdure::tree
