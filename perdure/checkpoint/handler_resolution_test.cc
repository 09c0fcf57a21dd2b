#include "perdure/checkpoint/handler_resolution.h"

#include <gtest/gtest.h>

#include <map>

namespace perdure::checkpoint {
namespace {

using Index = std::optional<std::size_t>;

/// Answers from a table; whatever is not there is false.
class Answers : public HandlerAnswers {
 public:
  std::map<std::size_t, bool> can_save;
  std::map<std::size_t, std::optional<bool>> can_load;
  std::vector<std::size_t> asked;

  bool takes(std::size_t entry) override {
    asked.push_back(entry);
    return can_save.contains(entry) && can_save[entry];
  }
  std::optional<bool> takes_abstract(std::size_t entry) override {
    asked.push_back(entry);
    return can_load.contains(entry) ? can_load[entry] : false;
  }
};

const std::vector<HandlerEntry> kTwoGenericOneNamed = {{.typestr = "A"}, {.typestr = "N", .name = "x"}, {.typestr = "B"}};

TEST(HandlerToSave, IsTheLastGenericOneThatCan) {
  Answers answers;
  answers.can_save = {{0, true}};
  EXPECT_EQ(handler_to_save(kTwoGenericOneNamed, "other", false, answers), Index(0));
  answers.can_save[2] = true;
  EXPECT_EQ(handler_to_save(kTwoGenericOneNamed, "other", false, answers), Index(2));
}

TEST(HandlerToSave, IsTheOneOfTheNameUnasked) {
  Answers answers;
  answers.can_save = {{0, true}, {2, true}};
  EXPECT_EQ(handler_to_save(kTwoGenericOneNamed, "x", false, answers), Index(1));
  EXPECT_TRUE(answers.asked.empty());
}

TEST(HandlerToSave, OfAStatefulObjectIgnoresTheNameWhileAGenericOneCan) {
  Answers answers;
  EXPECT_EQ(handler_to_save(kTwoGenericOneNamed, "x", true, answers), Index(1));
  answers.can_save = {{0, true}};
  EXPECT_EQ(handler_to_save(kTwoGenericOneNamed, "x", true, answers), Index(0));
}

TEST(HandlerToSave, IsNoneWhenNobodyCan) {
  Answers answers;
  EXPECT_EQ(handler_to_save(kTwoGenericOneNamed, "other", false, answers), Index());
}

TEST(HandlerToLoad, FollowsTheRecordWithoutATemplate) {
  Answers answers;
  EXPECT_EQ(handler_to_load(kTwoGenericOneNamed, {.name = "other", .typestr = "A"}, answers), Index(0));
  EXPECT_EQ(handler_to_load(kTwoGenericOneNamed, {.name = "other", .typestr = "gone"}, answers), Index());
  EXPECT_EQ(handler_to_load(kTwoGenericOneNamed, {.name = "x", .typestr = "A"}, answers), Index(1));
  EXPECT_TRUE(answers.asked.empty());
}

TEST(HandlerToLoad, KnowsSecondaryTypestrsAndTakesTheLastThatMeansTheRecord) {
  Answers answers;
  const std::vector<HandlerEntry> entries = {{.typestr = "A", .secondary_typestrs = {"old"}},
                                             {.typestr = "B", .secondary_typestrs = {"old", "older"}}};
  EXPECT_EQ(handler_to_load(entries, {.name = "x", .typestr = "old"}, answers), Index(1));
  EXPECT_EQ(handler_to_load(entries, {.name = "x", .typestr = "older"}, answers), Index(1));
  EXPECT_EQ(handler_to_load(entries, {.name = "x", .typestr = ""}, answers), Index());
}

TEST(HandlerToLoad, GoesFromNameToRecordToAbilityAndBackToTheName) {
  Answers answers;
  const LoadQuestion question{.name = "x", .typestr = "A", .has_template = true};
  EXPECT_EQ(handler_to_load(kTwoGenericOneNamed, question, answers), Index(1)) << "nobody can: the last resort";
  answers.can_load = {{2, true}};
  EXPECT_EQ(handler_to_load(kTwoGenericOneNamed, question, answers), Index(2));
  answers.can_load[0] = true;
  EXPECT_EQ(handler_to_load(kTwoGenericOneNamed, question, answers), Index(0));
  answers.can_load[1] = true;
  EXPECT_EQ(handler_to_load(kTwoGenericOneNamed, question, answers), Index(1));
}

TEST(HandlerToLoad, OfAStatefulTemplateAsksTheRecordBeforeTheName) {
  Answers answers;
  answers.can_load = {{0, true}, {1, true}};
  LoadQuestion question{.name = "x", .typestr = "A", .has_template = true, .is_stateful = true};
  EXPECT_EQ(handler_to_load(kTwoGenericOneNamed, question, answers), Index(0));
  question.typestr = "gone";
  EXPECT_EQ(handler_to_load(kTwoGenericOneNamed, question, answers), Index(1));
}

TEST(HandlerToLoad, TakesAnUndecidedOneOnlyIfItIsTheRecordedOne) {
  Answers answers;
  answers.can_load = {{0, std::nullopt}, {1, std::nullopt}, {2, std::nullopt}};
  EXPECT_EQ(handler_to_load(kTwoGenericOneNamed, {.name = "other", .typestr = "A", .has_template = true}, answers), Index(0));
  EXPECT_EQ(handler_to_load(kTwoGenericOneNamed, {.name = "other", .typestr = "gone", .has_template = true}, answers), Index());
  EXPECT_EQ(handler_to_load(kTwoGenericOneNamed, {.name = "x", .typestr = "N", .has_template = true}, answers), Index(1));
}

}  // namespace
}  // namespace perdure::checkpoint
