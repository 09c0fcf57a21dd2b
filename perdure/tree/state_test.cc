#include "perdure/tree/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <unordered_map>

#include "perdure/base/error.h"
#include "tests/support/failures.h"
#include "tests/support/training_state.h"
#include "tests/support/trees.h"

namespace {

struct Pair {
  std::int32_t a = 0;
  std::vector<double> b;
};
struct Shared {
  std::shared_ptr<Pair> left, right;
};
struct Loop {
  int value = 0;
  std::shared_ptr<Loop> next;
};
struct Cell {
  std::variant<std::unique_ptr<Cell>, int> next = 0;
};
struct Dotted {
  int joined = 1;
  Pair a;
};
struct Unknown {
  int before = 1;
  std::vector<std::byte> bytes;
};
/// A matrix whose rows have a gap behind them.
struct Matrix {
  std::vector<float> memory = std::vector<float>(6);
};

}  // namespace

template <>
constexpr auto perdure::describe<Pair>() {
  return record<Pair>("test.Pair", field("a", &Pair::a), field("b", &Pair::b));
}
template <>
constexpr auto perdure::describe<Shared>() {
  return record<Shared>("test.Shared", field("left", &Shared::left), field("right", &Shared::right));
}
template <>
constexpr auto perdure::describe<Loop>() {
  return record<Loop>("test.Loop", field("value", &Loop::value), field("next", &Loop::next));
}
template <>
constexpr auto perdure::describe<Cell>() {
  return record<Cell>("test.Cell", field("next", &Cell::next));
}
template <>
constexpr auto perdure::describe<Dotted>() {
  return record<Dotted>("test.Dotted", field("a.a", &Dotted::joined), field("a", &Dotted::a));
}
template <>
constexpr auto perdure::describe<Unknown>() {
  return record<Unknown>("test.Unknown", field("before", &Unknown::before), field("bytes", &Unknown::bytes));
}
template <>
struct perdure::array_of<Matrix> {
  static ArraySpan span(Matrix& matrix) {
    return {reinterpret_cast<std::byte*>(matrix.memory.data()), DType::kFloat32, Shape{2, 2}, {12, 4}};
  }
};

namespace perdure::tree {
namespace {

using test::keys_of;
using test::kind_of_failure;
using test::story_of_failure;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ObjectRegistry& with_adam() {
  static ObjectRegistry registry;
  register_type<test::Adam>(registry);
  return registry;
}

TEST(StateDict, SpellsKeysAsPythonDoes) {
  EXPECT_THAT(keys_of(state_dict(test::full_state(), with_adam())),
              ElementsAre("layers[0].weight", "layers[0].gain", "layers[1].weight", "layers[1].gain", "optimizer.rate",
                          "optimizer.mu", "optimizer.step", "buffers.mean", "names.0", "names.7", "schedule[0]", "schedule[1][0]",
                          "schedule[1][1]", "best", "tag", "phase", "mask", "seed"));
  EXPECT_THAT(keys_of(state_dict(std::vector<float>{1})), ElementsAre(""));
  EXPECT_THAT(keys_of(state_dict(std::vector<std::vector<float>>{{1}, {}})), ElementsAre("[0]", "[1]"));
  EXPECT_THAT(
      keys_of(state_dict(std::unordered_map<std::string, std::deque<std::string>>{{"b", {"x"}}, {"a", {}}, {"c", {"y"}}})),
      ElementsAre("b[0]", "c[0]"));
}

TEST(StateDict, HoldsNumbersTextAndArrays) {
  const Value flat = state_dict(test::full_state(), with_adam());
  EXPECT_THAT(flat["layers[0].weight"].span<float>(), ElementsAre(1, 2, 3));
  EXPECT_EQ(flat["layers[0].gain"].array().shape, (Shape{2, 2}));
  EXPECT_THAT(flat["layers[0].gain"].span<double>(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(flat["phase"].as_int(), 7);
  EXPECT_EQ(flat["tag"].as_text(), "a tag");
  EXPECT_EQ(std::get<BigInt>(std::get<Scalar>(flat["seed"].as_leaf())).digits, "18446744073709551615");
  EXPECT_THAT(flat["mask"].span<bool>(), ElementsAre(true, false, true));
  EXPECT_TRUE(state_dict(test::fresh_state(), with_adam())["best"].is_none());
}

TEST(StateDict, RoundTripsEveryPart) {
  const Value flat = state_dict(test::full_state(), with_adam());
  test::State restored = test::fresh_state();
  const StateReport report = from_state_dict(restored, flat, with_adam());
  EXPECT_THAT(report.unused, IsEmpty());
  EXPECT_THAT(report.unfilled, IsEmpty());
  EXPECT_EQ(restored.layers[0].weight, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(restored.layers[0].gain[1][0], 3);
  const auto& adam = dynamic_cast<const test::Adam&>(*restored.optimizer);
  EXPECT_EQ(adam.rate, 0.5);
  EXPECT_EQ(adam.mu, (std::vector<float>{5, 6}));
  EXPECT_EQ(adam.step, 100);
  EXPECT_EQ(restored.buffers.at("mean"), (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(restored.names.at(7), "last");
  EXPECT_EQ(restored.schedule, (std::pair{3, std::tuple{true, 0.5f}}));
  EXPECT_EQ(restored.best, 2.5);
  EXPECT_EQ(std::get<std::string>(restored.tag), "a tag");
  EXPECT_EQ(restored.phase, test::Phase::kDecay);
  EXPECT_EQ(restored.mask, (std::vector{true, false, true}));
  EXPECT_EQ(restored.seed, ~std::uint64_t{0});
}

TEST(StateDict, OwnsItsArrays) {
  std::vector<float> weight = {1, 2};
  const Value flat = state_dict(weight);
  weight[0] = 9;
  EXPECT_THAT(flat[""].span<float>(), ElementsAre(1, 2));
}

TEST(StateDict, RefusesWhatPythonDoesNotKnow) {
  EXPECT_THAT(story_of_failure(ErrorKind::kInputType, [] { state_dict(std::vector<Unknown>(1)); }), HasSubstr("'[0].bytes'"));
  Unknown unknown;
  EXPECT_EQ(kind_of_failure([&] { from_state_dict(unknown, Value::dict({{"before", 5}})); }), ErrorKind::kInputType);
  EXPECT_EQ(unknown.before, 1);
  EXPECT_EQ(kind_of_failure([] { state_dict(std::pair<int, std::complex<double>>()); }), ErrorKind::kInputType);
}

TEST(StateDict, RefusesTwoLeavesOfOneKey) {
  EXPECT_THAT(story_of_failure(ErrorKind::kInputType, [] { state_dict(Dotted()); }), HasSubstr("'a.a'"));
}

TEST(StateDict, RefusesACycleWithItsKey) {
  auto loop = std::make_shared<Loop>();
  loop->next = std::make_shared<Loop>();
  loop->next->next = loop;
  EXPECT_THAT(story_of_failure(ErrorKind::kInputType, [&] { state_dict(*loop->next); }), HasSubstr("'next.next'"));
  EXPECT_THAT(story_of_failure(ErrorKind::kInputType, [&] { from_state_dict(*loop, Value::dict({})); }), HasSubstr("'next"));
  loop->next->next = nullptr;
}

TEST(StateDict, WalksAHundredThousandLevels) {
  Cell first;
  Cell* last = &first;
  std::string key = "next";
  for (int i = 0; i < 100'000; ++i) {
    auto cell = std::make_unique<Cell>();
    Cell* const next = cell.get();
    last->next = std::move(cell);
    last = next;
    key += ".next";
  }
  from_state_dict(first, Value::dict({{key, 5}}));
  EXPECT_EQ(std::get<int>(last->next), 5);
  EXPECT_THAT(keys_of(state_dict(first)), ElementsAre(key));
  while (first.next.index() == 0) first.next = std::exchange(std::get<0>(first.next)->next, 0);  // not one within the other
}

TEST(FromStateDict, KeepsWhatIsMissingAndReportsWhatDoesNotFit) {
  Pair pair{1, {2}};
  const StateReport report = from_state_dict(pair, Value::dict({{"a", 5}, {"c", 1}, {"a.x", 2}}));
  EXPECT_EQ(pair.a, 5);
  EXPECT_EQ(pair.b, std::vector<double>{2});
  EXPECT_THAT(report.unused, ElementsAre("c", "a.x"));
  EXPECT_THAT(report.unfilled, ElementsAre("b"));
}

TEST(FromStateDict, ChangesNothingWhenItFails) {
  std::vector<Pair> pairs = {{1, {1}}, {2, {2}}};
  const Value flat = Value::dict({{"[0].a", 9},
                                  {"[0].b", Value::array({1}, std::vector<double>{9})},
                                  {"[1].b", Value::array({2}, std::vector<double>{9, 9})}});
  const std::string story = story_of_failure(ErrorKind::kMismatch, [&] { from_state_dict(pairs, flat); });
  EXPECT_THAT(story, HasSubstr("(2,)"));
  EXPECT_THAT(story, HasSubstr("(1,)"));
  EXPECT_THAT(story, HasSubstr("[1].b"));
  EXPECT_EQ(pairs[0].a, 1);
  EXPECT_EQ(pairs[0].b, std::vector<double>{1});
}

TEST(FromStateDict, CastsToTheTypeOfTheField) {
  Pair pair{0, {0, 0}};
  from_state_dict(pair, Value::dict({{"a", 3.0}, {"b", Value::array({2}, std::vector<int>{1, 2})}}));
  EXPECT_EQ(pair.a, 3);
  EXPECT_EQ(pair.b, (std::vector<double>{1, 2}));
  from_state_dict(pair, Value::dict({{"a", Value::array({}, std::vector<std::int64_t>{4})}}));
  EXPECT_EQ(pair.a, 4);
}

TEST(FromStateDict, RefusesValuesThatTheFieldCannotHold) {
  Pair pair;
  for (const Value& value : {Value(std::int64_t{1} << 31), Value(BigInt{"99999999999999999999"}), Value("text"), Value(),
                             Value::list({1}), Value::array({1}, std::vector<int>{1})}) {
    EXPECT_THAT(story_of_failure(ErrorKind::kMismatch,
                                 [&] {
                                   from_state_dict(pair, Value::dict({{"a", value}}));
                                 }),
                HasSubstr("'a'"));
  }
  std::uint8_t small = 3;
  EXPECT_EQ(kind_of_failure([&] { from_state_dict(small, Value::dict({{"", -1}})); }), ErrorKind::kMismatch);
  EXPECT_EQ(small, 3);
}

TEST(FromStateDict, GivesAnEmptyVectorTheStoredLength) {
  Pair pair;
  from_state_dict(pair, Value::dict({{"b", Value::array({3}, std::vector<double>{1, 2, 3})}}));
  EXPECT_EQ(pair.b, (std::vector<double>{1, 2, 3}));
  Pair other;
  const Value matrix = Value::dict({{"b", Value::array({1, 1}, std::vector<double>{1})}});
  EXPECT_EQ(kind_of_failure([&] { from_state_dict(other, matrix); }), ErrorKind::kMismatch);
}

TEST(FromStateDict, TakesTruthValuesOfOneAxis) {
  std::vector<bool> bits;
  const Value matrix = Value::dict({{"", Value::array({1, 2}, std::vector<std::uint8_t>{1, 0})}});
  EXPECT_EQ(kind_of_failure([&] { from_state_dict(bits, matrix); }), ErrorKind::kMismatch);
  from_state_dict(bits, Value::dict({{"", Value::array({2}, std::vector<std::uint8_t>{1, 0})}}));
  EXPECT_EQ(bits, (std::vector<bool>{true, false}));
  const Value longer = Value::dict({{"", Value::array({3}, std::vector<std::uint8_t>{1, 0, 1})}});
  EXPECT_EQ(kind_of_failure([&] { from_state_dict(bits, longer); }), ErrorKind::kMismatch);
}

TEST(FromStateDict, KeepsAnArrayOfWhichNoneIsStored) {
  Pair pair{1, {2}};
  const StateReport report = from_state_dict(pair, Value::dict({{"a", 5}, {"b", Value()}}));
  EXPECT_EQ(pair.b, std::vector<double>{2});
  EXPECT_EQ(pair.a, 5);
  EXPECT_THAT(report.unused, IsEmpty());
  EXPECT_THAT(report.unfilled, ElementsAre("b"));
}

TEST(FromStateDict, DoesNotGrowListsOrMappings) {
  std::vector<Pair> none;
  std::map<std::string, int> empty;
  EXPECT_THAT(from_state_dict(none, Value::dict({{"[0].a", 1}})).unused, ElementsAre("[0].a"));
  EXPECT_THAT(from_state_dict(empty, Value::dict({{"a", 1}})).unused, ElementsAre("a"));
  EXPECT_TRUE(none.empty() && empty.empty());
}

TEST(FromStateDict, FillsAndEmptiesOptionals) {
  std::pair<std::optional<int>, std::optional<std::vector<float>>> pair{5, std::nullopt};
  from_state_dict(pair, Value::dict({{"[0]", Value()}, {"[1]", Value::array({1}, std::vector<float>{7})}}));
  EXPECT_EQ(pair.first, std::nullopt);
  EXPECT_EQ(pair.second, std::vector<float>{7});
  std::optional<Pair> record;
  EXPECT_THAT(from_state_dict(record, Value::dict({{"a", 1}})).unused, ElementsAre("a"));
  EXPECT_EQ(kind_of_failure([&] { from_state_dict(record, Value::dict({{"", 1}})); }), ErrorKind::kMismatch);
}

TEST(FromStateDict, LetsAVariantHoldTheKindThatWasSaved) {
  std::variant<std::monostate, std::int64_t, double, std::string> any;
  const auto restored = [&](Value value) {
    from_state_dict(any, Value::dict({{"", std::move(value)}}));
    return any.index();
  };
  EXPECT_EQ(restored(3), 1u);
  EXPECT_EQ(restored(3.5), 2u);
  EXPECT_EQ(restored("x"), 3u);
  EXPECT_EQ(restored(Value()), 0u);
}

TEST(FromStateDict, FillsASharedObjectOnce) {
  Shared shared;
  shared.left = shared.right = std::make_shared<Pair>();
  from_state_dict(shared, Value::dict({{"left.a", 3}, {"right.a", 3}}));
  EXPECT_EQ(shared.left, shared.right);
  EXPECT_EQ(shared.right->a, 3);
  const std::string story = story_of_failure(ErrorKind::kMismatch, [&] {
    from_state_dict(shared, Value::dict({{"left.a", 4}, {"right.a", 5}}));
  });
  EXPECT_THAT(story, HasSubstr("right.a"));
  EXPECT_EQ(shared.left->a, 3);
}

TEST(FromStateDict, NamesAPolymorphicTypeThatNobodyRegistered) {
  std::unique_ptr<test::Optimizer> optimizer = std::make_unique<test::Sgd>();
  EXPECT_THAT(story_of_failure(ErrorKind::kInputType, [&] { state_dict(optimizer, with_adam()); }), HasSubstr("Sgd"));
  optimizer = std::make_unique<test::Optimizer>();
  EXPECT_THAT(keys_of(state_dict(optimizer)), ElementsAre("rate"));
}

TEST(FromStateDict, FillsAnArrayTypeOfTheUserInPlace) {
  std::vector<Matrix> matrices(1);
  from_state_dict(matrices, Value::dict({{"[0]", Value::array({2, 2}, std::vector<double>{1, 2, 3, 4})}}));
  EXPECT_THAT(matrices[0].memory, ElementsAre(1, 2, 0, 3, 4, 0));
  EXPECT_THAT(state_dict(matrices)["[0]"].span<float>(), ElementsAre(1, 2, 3, 4));
}

TEST(FromStateDict, TakesEveryBitOfAFloat) {
  const double payload = std::bit_cast<double>(0x7ff8'0000'dead'beefull);
  std::vector<double> values = {-0.0, payload};
  double plain = -0.0;
  std::vector<double> restored_values(2);
  double restored = 1;
  from_state_dict(restored_values, state_dict(values));
  from_state_dict(restored, Value::dict({{"", plain}}));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(restored_values[1]), 0x7ff8'0000'dead'beefull);
  EXPECT_TRUE(std::signbit(restored_values[0]) && std::signbit(restored));
}

TEST(ValueState, GoesThroughTheSameRules) {
  const Value target = Value::dict({{"w", Value::array({2}, std::vector<float>(2))}, {"l", Value::tuple({1, "x"})}});
  EXPECT_THAT(keys_of(state_dict(target)), ElementsAre("w", "l[0]", "l[1]"));
  StateReport report;
  const Value flat = Value::dict({{"w", Value::array({2}, std::vector<double>{1, 2})}, {"l[1]", 5}, {"l[2]", 6}});
  const Value got = from_state_dict(target, flat, &report);
  EXPECT_THAT(got["w"].span<float>(), ElementsAre(1, 2));
  EXPECT_EQ(got["l"].kind(), NodeKind::kTuple);
  EXPECT_EQ(got["l"][1].as_int(), 5);
  EXPECT_THAT(report.unused, ElementsAre("l[2]"));
  EXPECT_THAT(target["w"].span<float>(), ElementsAre(0, 0));
  const Value longer = Value::dict({{"w", Value::array({3}, std::vector<float>(3))}});
  EXPECT_THAT(story_of_failure(ErrorKind::kMismatch, [&] { std::ignore = from_state_dict(target, longer); }), HasSubstr("'w'"));
  EXPECT_EQ(kind_of_failure([&] { state_dict(Value::list({Value(Blob())})); }), ErrorKind::kInputType);
}

}  // namespace
}  // namespace perdure::tree
