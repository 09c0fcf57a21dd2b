#include "perdure/tree/select.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"
#include "perdure/tree/names.h"
#include "perdure/tree/value.h"
#include "tests/support/failures.h"

namespace perdure::tree {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Value layer() { return Value::dict({{"w", 1}, {"bias", 2}}); }

Value state() {
  return Value::dict({{"params", Value::dict({{"enc", layer()}, {"dec", layer()}, {"a.b", 3}})},
                      {"layers", Value::list({10, 11, Value::list({}), 13})},
                      {"adam", Value::container(NodeKind::kNamedTuple, {"optax", "Adam"}, {{"mu", 20}, {"nu", 21}})},
                      {"step", 5}});
}

Selection selected(const std::vector<std::string>& patterns) { return select(flatten(state()).structure, patterns); }

std::vector<std::string> names(const std::vector<std::string>& patterns) { return leaf_names(selected(patterns).structure); }

TEST(Select, APathTakesEverythingBelowIt) {
  EXPECT_THAT(names({"params.enc"}), ElementsAre("params.enc.w", "params.enc.bias"));
  EXPECT_THAT(names({"step"}), ElementsAre("step"));
  EXPECT_THAT(names({"params.a.b"}), ElementsAre("params.a.b"));
}

TEST(Select, AStarStandsForTextWithinOneKey) {
  EXPECT_THAT(names({"params.*.bias"}), ElementsAre("params.enc.bias", "params.dec.bias"));
  EXPECT_THAT(names({"*.enc"}), ElementsAre("params.enc.w", "params.enc.bias"));
  EXPECT_THAT(names({"params.*c.*i*s"}), ElementsAre("params.enc.bias", "params.dec.bias"));
  EXPECT_EQ(names({"*"}), leaf_names(flatten(state()).structure));
}

TEST(Select, GivesTheLeavesOfTheWholeTreeInItsOrder) {
  EXPECT_THAT(selected({"step", "params.dec", "params.dec.w"}).leaves, ElementsAre(2u, 3u, 10u));
}

TEST(Select, APartOfAListIsAShorterList) {
  const Structure part = selected({"layers.3", "layers.1"}).structure;
  EXPECT_THAT(leaf_names(part), ElementsAre("layers.0", "layers.1"));
  EXPECT_EQ(part.nodes()[1].kind, NodeKind::kList);
  EXPECT_EQ(selected({"layers.2"}).structure.nodes()[2].kind, NodeKind::kList);
}

TEST(Select, APartOfANamedTupleIsAMapping) {
  EXPECT_EQ(selected({"adam.nu"}).structure.nodes()[1].kind, NodeKind::kMapping);
  const Structure whole = selected({"adam"}).structure;
  EXPECT_EQ(whole.nodes()[1].kind, NodeKind::kNamedTuple);
  EXPECT_EQ(whole.types()[whole.nodes()[1].type_index].qualname, "Adam");
}

TEST(Select, NoPatternIsAnError) {
  EXPECT_EQ(test::kind_of_failure([] { selected({}); }), ErrorKind::kInvalid);
}

TEST(Select, APatternThatSelectsNothingIsNamed) {
  for (const char* pattern : {"parms", "params.enc.w.x", "params.e", "*.*.*.*", ""}) {
    try {
      selected({"step", pattern});
      ADD_FAILURE() << "accepted " << pattern;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
      const std::string quoted = std::string("'") + pattern + "'";
      EXPECT_THAT(error.message(), AllOf(HasSubstr(quoted), HasSubstr("'params', 'layers', 'adam', 'step'")));
    }
  }
}

TEST(Select, APatternOfManyStarsEnds) {
  std::string stars, key(5000, 'a');
  for (int i = 0; i < 1000; ++i) stars += "a*";
  EXPECT_THROW(select(flatten(Value::dict({{key, 1}})).structure, {stars + "b"}), Error);
}

}  // namespace
}  // namespace perdure::tree
