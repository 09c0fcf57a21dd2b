#include "perdure/base/describe.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace trainer {

struct Optimizer {
  float rate = 1;
};
struct Adam : Optimizer {
  std::vector<float> mu;
  std::int64_t step = 0;
};
class Counter {
 public:
  static constexpr auto describe() {
    return perdure::record<Counter>("trainer.Counter", perdure::field("count", &Counter::count_));
  }

 private:
  int count_ = 7;
  friend int count_of(const Counter& counter) { return counter.*std::get<0>(describe().fields).member; }
};
template <class T>
struct Pair {
  T first, second;
  static constexpr auto describe() { return perdure::record<Pair>("trainer.Pair", perdure::field("first", &Pair::first)); }
};
struct Engine {};

}  // namespace trainer

template <>
constexpr auto perdure::describe<trainer::Optimizer>() {
  return record<trainer::Optimizer>("trainer.Optimizer", field("rate", &trainer::Optimizer::rate));
}
template <>
constexpr auto perdure::describe<trainer::Adam>() {
  return record<trainer::Adam>("trainer.Adam", bases<trainer::Optimizer>(), field("mu", &trainer::Adam::mu),
                               field("step", &trainer::Adam::step), field("rate", &trainer::Adam::rate));
}
template <>
constexpr auto perdure::describe<trainer::Engine>() {
  return opaque<trainer::Engine>("trainer.Engine");
}

namespace perdure {
namespace {

static_assert(Described<trainer::Adam> && Described<trainer::Counter> && Described<trainer::Pair<int>> &&
              Described<trainer::Engine>);
static_assert(!Described<int> && !Described<std::vector<trainer::Adam>>);
static_assert(std::is_same_v<DescriptionOf<trainer::Adam>::BaseTypes, Bases<trainer::Optimizer>>);
static_assert(describe<trainer::Engine>().name == "trainer.Engine");

TEST(Describe, ReachesOwnAndInheritedFields) {
  trainer::Adam adam;
  adam.step = 3;
  constexpr auto kDescription = describe<trainer::Adam>();
  EXPECT_EQ(std::get<1>(kDescription.fields).name, "step");
  EXPECT_EQ(adam.*std::get<1>(kDescription.fields).member, 3);
  EXPECT_EQ(adam.*std::get<2>(kDescription.fields).member, 1);
}

TEST(Describe, ReachesPrivateFieldsFromWithinTheClass) { EXPECT_EQ(count_of(trainer::Counter()), 7); }

}  // namespace
}  // namespace perdure
