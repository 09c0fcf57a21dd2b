#include "perdure/checkpoint/object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"
#include "perdure/checkpoint/verify.h"
#include "tests/support/failures.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/training_state.h"

namespace {

struct Tied {
  std::shared_ptr<std::vector<float>> embedding, head;
};
struct Generator {
  std::string text = "seed 1";
};
struct Training {
  std::vector<double> weight;
  Generator generator;
  int step = 0;
};

}  // namespace

template <>
constexpr auto perdure::describe<Tied>() {
  return record<Tied>("test.Tied", field("embedding", &Tied::embedding), field("head", &Tied::head));
}
template <>
constexpr auto perdure::describe<Generator>() {
  return opaque<Generator>("test.Generator");
}
template <>
constexpr auto perdure::describe<Training>() {
  return record<Training>("test.Training", field("weight", &Training::weight), field("generator", &Training::generator),
                          field("step", &Training::step));
}

namespace perdure {
namespace {

using test::kind_of_failure;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Missing = tree::MatchOptions::Missing;
using Unused = tree::MatchOptions::Unused;

tree::ObjectRegistry& registry() {
  static tree::ObjectRegistry types;
  tree::register_type<test::Adam>(types);
  tree::register_serializer<Generator>(
      [](const Generator& generator) {
        return Value::dict({{"text", generator.text}});
      },
      [](const Generator&, const Value& saved) { return Generator{saved["text"].as_text()}; }, types);
  return types;
}

class SavedObject : public testing::Test {
 protected:
  void SetUp() override { save(path, test::full_state(), {}, registry()); }
  std::string message_of(auto& object, const LoadOptions& options = {}) {
    return test::message_of_failure(ErrorKind::kMismatch, [&] { load(path, object, options, registry()); });
  }
  test::TemporaryDirectory directory;
  std::string path = directory / "c";
};

TEST_F(SavedObject, ComesBackInEveryPart) {
  test::State state = test::fresh_state();
  load(path, state, {}, registry());
  EXPECT_EQ(state.layers[0].weight, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(state.layers[0].gain[1][1], 4);
  EXPECT_EQ(dynamic_cast<test::Adam&>(*state.optimizer).step, 100);
  EXPECT_EQ(state.buffers.at("mean"), (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(state.names.at(7), "last");
  EXPECT_EQ(state.schedule, (std::pair{3, std::tuple{true, 0.5f}}));
  EXPECT_EQ(state.best, 2.5);
  EXPECT_EQ(std::get<std::string>(state.tag), "a tag");
  EXPECT_EQ(state.phase, test::Phase::kDecay);
  EXPECT_EQ(state.mask, (std::vector{true, false, true}));
  EXPECT_EQ(state.seed, ~std::uint64_t{0});
  EXPECT_TRUE(verify(path).ok());
}

TEST_F(SavedObject, IsARecordOfItsNameForOthers) {
  const Value value = load(path);
  EXPECT_EQ(value.type_name(), (TypeName{"training", "State"}));
  EXPECT_EQ(value["optimizer"].type_name(), (TypeName{"training", "Adam"}));
  EXPECT_THAT(value["layers"][0]["weight"].span<float>(), ElementsAre(1, 2, 3));
}

TEST_F(SavedObject, ChangesNothingWhenItDoesNotFit) {
  test::State state = test::fresh_state();
  state.layers[1].weight = {0, 0};
  EXPECT_EQ(message_of(state), "shape of 'layers.1.weight' is (1,) in the checkpoint, (2,) in the template");
  EXPECT_EQ(state.layers[0].weight, (std::vector<float>{0, 0, 0}));
  state = test::fresh_state();
  state.layers.emplace_back();
  EXPECT_THAT(message_of(state), HasSubstr("not in the checkpoint: 'layers.2.weight', 'layers.2.gain'"));
}

TEST_F(SavedObject, NamesTheFieldWhoseTypeIsTooSmall) {
  std::map<std::string, std::uint8_t> small = {{"seed", 3}};
  EXPECT_THAT(message_of(small, {.match = {.unused = Unused::kIgnore}}), HasSubstr("'seed'"));
  EXPECT_EQ(small["seed"], 3);
}

TEST_F(SavedObject, TakesTheOptionsOfATemplate) {
  LoadReport report;
  std::map<std::string, std::optional<int>> part = {{"best", 1}, {"new", 7}};
  load(path, part, {.match = {Missing::kKeep, Unused::kIgnore}, .report = &report}, registry());
  EXPECT_EQ(part["best"], 2);
  EXPECT_EQ(part["new"], 7);
  EXPECT_THAT(report.lossy, ElementsAre("best"));
  EXPECT_THAT(report.kept, ElementsAre("new"));
  EXPECT_EQ(kind_of_failure([&] {
              load(path, part, {.match = {Missing::kKeep, Unused::kIgnore}, .raise_on_lossy_cast = true});
            }),
            ErrorKind::kMismatch);
}

TEST(LoadObject, ReportsWhatAnOptionalHadToChange) {
  const test::TemporaryDirectory directory;
  save(directory / "c", std::map<std::string, double>{{"a", 2.5}});
  std::map<std::string, std::optional<int>> target = {{"a", std::nullopt}};
  LoadReport report;
  EXPECT_EQ(kind_of_failure([&] { load(directory / "c", target, {.raise_on_lossy_cast = true}); }), ErrorKind::kMismatch);
  EXPECT_EQ(target["a"], std::nullopt);
  load(directory / "c", target, {.report = &report});
  EXPECT_EQ(target["a"], 2);
  EXPECT_THAT(report.lossy, ElementsAre("a"));
}

TEST(LoadObject, EmptiesAnOptionalThatWasEmpty) {
  const test::TemporaryDirectory directory;
  save(directory / "c", std::tuple<std::optional<int>, std::optional<std::vector<float>>>());
  std::tuple<std::optional<int>, std::optional<std::vector<float>>> target{1, {{2}}};
  load(directory / "c", target);
  EXPECT_EQ(std::get<0>(target), std::nullopt);
  EXPECT_EQ(std::get<1>(target), std::nullopt);
}

TEST(LoadObject, GivesAnEmptyVectorTheStoredLength) {
  const test::TemporaryDirectory directory;
  save(directory / "c", std::vector<double>{1, 2, 3});
  std::vector<float> target;
  load(directory / "c", target);
  EXPECT_THAT(target, ElementsAre(1, 2, 3));
  std::vector<float> shorter(2);
  EXPECT_EQ(kind_of_failure([&] { load(directory / "c", shorter); }), ErrorKind::kMismatch);
  save(directory / "m", std::array<std::array<float, 2>, 1>{});
  target.clear();
  EXPECT_EQ(kind_of_failure([&] { load(directory / "m", target); }), ErrorKind::kMismatch);
  EXPECT_EQ(kind_of_failure([&] { load(directory / "c", target, {.read = {.bytes_max = 11}}); }), ErrorKind::kInvalid);
}

TEST(LoadObject, ReadsIntoTheMemoryOfTheObjectWhenToldTo) {
  const test::TemporaryDirectory directory;
  using State = std::tuple<std::vector<float>, std::array<std::int64_t, 2>, std::optional<std::vector<double>>, int>;
  save(directory / "c", State{{1, 2}, {3, 4}, {{5}}, 6});
  State state{{0, 0}, {}, {{0}}, 0};
  const float* const before = std::get<0>(state).data();
  load(directory / "c", state, {.in_place = true});
  EXPECT_EQ(state, (State{{1, 2}, {3, 4}, {{5}}, 6}));
  EXPECT_EQ(std::get<0>(state).data(), before);
  State empty;
  std::get<2>(empty) = {0};
  load(directory / "c", empty, {.in_place = true});
  EXPECT_EQ(empty, state);
}

TEST(LoadObject, ReadsASharedArrayInPlaceAndNoticesASecondValue) {
  const test::TemporaryDirectory directory;
  Tied apart{std::make_shared<std::vector<float>>(2), std::make_shared<std::vector<float>>(2)};
  save(directory / "same", apart);
  *apart.head = {1, 2};
  save(directory / "two", apart);
  Tied tied;
  tied.embedding = tied.head = std::make_shared<std::vector<float>>(2, 9.f);
  load(directory / "same", tied, {.in_place = true});
  EXPECT_THAT(*tied.head, ElementsAre(0, 0));
  EXPECT_EQ(kind_of_failure([&] { load(directory / "two", tied, {.in_place = true}); }), ErrorKind::kMismatch);
}

TEST(LoadObject, KeepsSharedObjectsShared) {
  const test::TemporaryDirectory directory;
  Tied tied;
  tied.embedding = tied.head = std::make_shared<std::vector<float>>(std::vector<float>{1, 2});
  EXPECT_GT(save(directory / "c", tied).shared_bytes, 0u);
  Tied restored;
  restored.embedding = restored.head = std::make_shared<std::vector<float>>(2);
  load(directory / "c", restored);
  EXPECT_EQ(restored.embedding, restored.head);
  EXPECT_THAT(*restored.head, ElementsAre(1, 2));

  Tied apart{std::make_shared<std::vector<float>>(2), std::make_shared<std::vector<float>>(2)};
  load(directory / "c", apart);
  (*apart.head)[0] = 9;
  EXPECT_THAT(*apart.embedding, ElementsAre(1, 2));

  *apart.embedding = {5, 6};
  save(directory / "two", apart);
  EXPECT_EQ(kind_of_failure([&] { load(directory / "two", restored); }), ErrorKind::kMismatch);
  EXPECT_THAT(*restored.head, ElementsAre(1, 2));
}

TEST(LoadObject, CallsSerializersWithWhatWasStored) {
  const test::TemporaryDirectory directory;
  save(directory / "c", Training{{1, 2}, {"seed 7"}, 3}, {}, registry());
  EXPECT_EQ(load(directory / "c")["generator"]["text"].as_text(), "seed 7");
  Training run;
  load(directory / "c", run, {}, registry());
  EXPECT_EQ(run.generator.text, "seed 7");
  EXPECT_EQ(run.step, 3);
  EXPECT_EQ(kind_of_failure([&] { save(directory / "d", run); }), ErrorKind::kInputType);
  EXPECT_THAT(test::names_in(directory.path()), ElementsAre("c"));
}

TEST(LoadObject, GivesASerializerWhateverWasStored) {
  const test::TemporaryDirectory directory;
  tree::ObjectRegistry types;
  std::vector<std::string> texts;
  tree::register_serializer<Generator>(
      [](const Generator& generator) {
        return Value::dict({{generator.text, 1}, {"list[0].x", Value::list({2, "y"})}});
      },
      [&](Generator&, const Value& saved) {
        for (const Value::Item& item : saved.items()) texts.push_back(item.key.str());
        EXPECT_EQ(saved["list[0].x"][1].as_text(), "y");
      },
      types);
  std::vector<Generator> generators = {{"other"}, {"keys"}};
  save(directory / "c", generators, {}, types);
  std::vector<Generator> fresh(2);
  load(directory / "c", fresh, {}, types);
  EXPECT_THAT(texts, testing::UnorderedElementsAre("other", "list[0].x", "keys", "list[0].x"));
}

TEST(LoadObject, LeavesEverythingWhenASerializerFails) {
  const test::TemporaryDirectory directory;
  save(directory / "c", Training{{1, 2}, {"seed 7"}, 3}, {}, registry());
  tree::ObjectRegistry failing;
  tree::register_serializer<Generator>(
      [](const Generator& generator) {
        return Value::dict({{"text", generator.text}});
      },
      [](const Generator&, const Value& saved) { return Generator{saved["gone"].as_text()}; }, failing);
  Training run;
  try {
    load(directory / "c", run, {}, failing);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.notes(), ElementsAre(HasSubstr("'generator'")));
  }
  EXPECT_THAT(run.weight, IsEmpty());
  EXPECT_EQ(run.step, 0);
}

TEST(SaveObject, TakesArraysFromWhereTheyLie) {
  const test::TemporaryDirectory directory;
  const std::vector<float> weight(100'000, 1.5f);
  const SaveStatistics statistics = save(directory / "c", weight);
  EXPECT_LE(statistics.copied_bytes, weight.size() * sizeof(float));
  EXPECT_EQ(load(directory / "c").span<float>()[99'999], 1.5f);
}

}  // namespace
}  // namespace perdure
