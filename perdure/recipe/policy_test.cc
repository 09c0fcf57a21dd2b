#include "perdure/recipe/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "perdure/recipe/dotted_path.h"
#include "perdure/recipe/policy_table.h"

using namespace perdure;
using namespace perdure::recipe;

namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : std::string(text) + " ") {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, ""));
    }
  }
  return words;
}

}  // namespace

TEST(PolicyTable, NamesEveryPathOnce) {
  std::set<std::string> seen;
  for (const PolicyRow& row : policy_table()) {
    EXPECT_EQ(row.verdict == Verdict::kAllowed, row.rule.empty());
    for (const std::string& path : words_of(row.paths)) EXPECT_TRUE(seen.insert(path).second) << path;
  }
}

TEST(Policy, LetsTheLongestRowDecide) {
  const Policy policy;
  EXPECT_EQ(policy.refuses_path("torch.nn.Linear"), std::nullopt);
  EXPECT_NE(policy.refuses_path("torch.load"), std::nullopt);
  EXPECT_NE(policy.refuses_path("torch.utils.checkpoint.checkpoint"), std::nullopt);  // torch as a whole
  EXPECT_EQ(policy.refuses_path("torch.utils.data.TensorDataset"), std::nullopt);
  EXPECT_NE(policy.refuses_path("torch.utils.data.datapipes.iter.FileOpener"), std::nullopt);
}

TEST(Policy, TakesSegmentsNotLetters) {
  const Policy policy;
  EXPECT_EQ(policy.refuses_path("osmium.Reader"), std::nullopt);
  EXPECT_EQ(policy.refuses_path("torchlike.fold"), std::nullopt);
  EXPECT_NE(policy.refuses_path("os.path.join"), std::nullopt);
}

TEST(Policy, RefusesWhatIsPrivateInPathsOnly) {
  const Policy policy;
  for (const char* path : {"_a.b", "a._b", "a._b.c", "a.B.__init__", "__main__.Net"})
    EXPECT_EQ(policy.refuses_path(path), "private") << path;
  EXPECT_EQ(policy.refuses_object("sklearn.linear_model._base.LinearRegression"), std::nullopt);
}

TEST(Policy, RefusesTelltaleNamesOfAnyModule) {
  const Policy policy;
  EXPECT_NE(policy.refuses_path("somebody.Model.from_pretrained"), std::nullopt);
  EXPECT_NE(policy.refuses_path("somebody.load_from_disk"), std::nullopt);
  EXPECT_NE(policy.refuses_path("somebody.graph.read_gpickle"), std::nullopt);
  EXPECT_EQ(policy.refuses_path("somebody.from_pretrained.Model"), std::nullopt);
  EXPECT_EQ(policy.refuses_path("somebody.Loader"), std::nullopt);
}

TEST(Policy, LetsBasesThroughThatNobodyMayCall) {
  const Policy policy;
  EXPECT_NE(policy.refuses_path("enum.Enum"), std::nullopt);
  EXPECT_NE(policy.refuses_object("enum.Enum"), std::nullopt);
  EXPECT_EQ(policy.refuses_base("enum.Enum"), std::nullopt);
  EXPECT_NE(policy.refuses_base("subprocess.Popen"), std::nullopt);
  EXPECT_NE(policy.refuses_base("builtins.type"), std::nullopt);
}

TEST(Policy, RestrictsToModulesWithoutLiftingARule) {
  const Policy policy({{"mine", "torch.nn", "os"}}, {"mine._impl.Net", "os.cpu_count"});
  EXPECT_EQ(policy.refuses_path("mine.Net"), std::nullopt);
  EXPECT_EQ(policy.refuses_path("torch.nn.Linear"), std::nullopt);
  EXPECT_EQ(policy.refuses_path("torch.optim.SGD"), "not in the allowed modules");
  EXPECT_EQ(policy.refuses_path("mines.Net"), "not in the allowed modules");
  EXPECT_NE(policy.refuses_path("os.system"), std::nullopt);
  EXPECT_EQ(policy.refuses_path("os.cpu_count"), std::nullopt);
  EXPECT_EQ(policy.refuses_path("mine._impl.Net"), std::nullopt);
  EXPECT_NE(policy.refuses_path("mine._impl.Net.more"), std::nullopt);
}

TEST(Policy, RefusesNamesThatCanBeNone) {
  for (const char* name : {"", "a.", ".a", "a..b", "a b", "a-b", "1a"}) {
    EXPECT_THROW(Policy({{name}}, {}), Error) << name;
    EXPECT_THROW(Policy(std::nullopt, {name}), Error) << name;
  }
}

TEST(DottedPath, TakesIdentifiersBetweenDotsOnly) {
  EXPECT_THAT(split_path("a.B_2.c", JsonPath()), ::testing::ElementsAre("a", "B_2", "c"));
  std::vector<std::string> wrong = {"", "a", "a.", ".a", "a..b", "a.b ", "a/b.c", "a.\xc3\xa9", "a.b\n", "a::b", "a.1b"};
  wrong.emplace_back("a\0b.c", 5);
  const std::string long_name(2000, 'a');
  wrong.push_back("b." + long_name);
  for (const std::string& path : wrong) {
    EXPECT_THROW(split_path(path, JsonPath()), RecipeError) << path;
  }
}

TEST(Policy, LetsAnAllowListTakeObjectsOfItsPackagesOnly) {
  const Policy strict(std::vector<std::string>{"my.nets", "torch.nn"}, {});
  EXPECT_EQ(strict.refuses_path("my.nets.tool"), std::nullopt);
  EXPECT_NE(strict.refuses_origin("mirror.download"), std::nullopt);
  EXPECT_NE(strict.refuses_origin("mytools.download"), std::nullopt);
  for (const char* home : {"my.parts.Net", "torch.optim.sgd.SGD"}) EXPECT_EQ(strict.refuses_origin(home), std::nullopt) << home;
  EXPECT_EQ(Policy().refuses_origin("mirror.download"), std::nullopt);
}
