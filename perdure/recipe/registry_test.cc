#include "perdure/recipe/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <thread>

using namespace perdure;
using namespace perdure::recipe;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

struct Activation {
  virtual ~Activation() = default;
  virtual std::string name() const = 0;
};
struct Relu : Activation {
  std::string name() const override { return "relu"; }
};
struct Leaky : Activation {
  explicit Leaky(double given_slope) : slope(given_slope) {}
  std::string name() const override { return "leaky"; }
  double slope;
};

struct Mlp {
  Mlp(int hidden, std::vector<int> layer_widths, std::string activation_name = "gelu", double rate = 0.5)
      : hidden_size(hidden), widths(std::move(layer_widths)), activation(std::move(activation_name)), dropout(rate) {}
  int hidden_size;
  std::vector<int> widths;
  std::string activation;
  double dropout;
};

struct Stack {
  Stack(std::vector<std::shared_ptr<Activation>> given, std::shared_ptr<Activation> last_one, Mlp inner)
      : activations(std::move(given)), last(std::move(last_one)), mlp(std::move(inner)) {}
  std::vector<std::shared_ptr<Activation>> activations;
  std::shared_ptr<Activation> last;
  Mlp mlp;
};

struct Typed {
  Typed(std::uint8_t small_number, std::map<std::string, bool> flag_table, std::tuple<int, std::string> two, DType kind,
        std::complex<double> z)
      : small(small_number), flags(std::move(flag_table)), pair(std::move(two)), dtype(kind), number(z) {}
  std::uint8_t small;
  std::map<std::string, bool> flags;
  std::tuple<int, std::string> pair;
  DType dtype;
  std::complex<double> number;
};

Registry demo_registry() {
  Registry registry;
  registry.register_class<Mlp>("demo::Mlp", {"hidden_size", "widths", "activation", "dropout"});
  registry.register_class<Relu, Activation>("demo::Relu");
  registry.register_class<Leaky, Activation>("demo::Leaky", {"slope"});
  registry.register_class<Stack>("demo::Stack", {"activations", "last", "mlp"});
  registry.register_class<Typed>("demo::Typed", {"small", "flags", "pair", "dtype", "number"});
  return registry;
}

template <class Body>
std::string error_of(Body body) {
  try {
    body();
  } catch (const RecipeError& error) {
    return error.message();
  }
  return "no error";
}

}  // namespace

TEST(Registry, BuildsWhatARecipeSaysAfterARoundTripThroughJson) {
  const Registry registry = demo_registry();
  const Spec spec =
      registry.make("demo::Mlp", {{"hidden_size", 128}, {"widths", std::vector<int>{1, 2}}, {"activation", "relu"}});
  EXPECT_THAT(spec.text(), StartsWith(R"({"cls_path":"demo::Mlp","timestamp":"20)"));
  EXPECT_THAT(spec.text(), HasSubstr(R"("hidden_size":128,"widths":[1,2],"activation":"relu"})"));
  const Spec again = registry.read(spec.text());
  EXPECT_EQ(again, spec);
  const auto mlp = registry.build<Mlp>(again);
  EXPECT_EQ(mlp->hidden_size, 128);
  EXPECT_THAT(mlp->widths, ElementsAre(1, 2));
  EXPECT_EQ(mlp->activation, "relu");
  EXPECT_EQ(mlp->dropout, 0.5);  // its default
}

TEST(Registry, BuildsInnerRecipesFirstAndHandsThemOverAsTheirBases) {
  const Registry registry = demo_registry();
  const Spec mlp = registry.make("demo::Mlp", {{"hidden_size", 3}, {"widths", std::vector<int>{}}});
  const Spec leaky = registry.make("demo::Leaky", {{"slope", 0.25}});
  const std::vector<Spec> both = {registry.make("demo::Relu", {}), leaky};
  const Spec spec = registry.make("demo::Stack", {{"activations", both}, {"last", leaky}, {"mlp", mlp}});
  const auto stack = registry.build<Stack>(registry.read(spec.text()));
  ASSERT_EQ(stack->activations.size(), 2U);
  EXPECT_EQ(stack->activations[0]->name(), "relu");
  EXPECT_EQ(dynamic_cast<Leaky&>(*stack->last).slope, 0.25);
  EXPECT_EQ(stack->mlp.hidden_size, 3);
  EXPECT_EQ(registry.build<Activation>(leaky)->name(), "leaky");
}

TEST(Registry, KeepsValuesOfEveryTypeThatAConstructorMayTake) {
  const Registry registry = demo_registry();
  const Spec spec = registry.make("demo::Typed", {{"small", 255},
                                                  {"flags", std::map<std::string, bool>{{"a", true}}},
                                                  {"pair", std::tuple<int, std::string>{7, "x"}},
                                                  {"dtype", DType::kBfloat16},
                                                  {"number", std::complex<double>(1, -2)}});
  const auto typed = registry.build<Typed>(registry.read(spec.text()));
  EXPECT_EQ(typed->small, 255);
  EXPECT_TRUE(typed->flags.at("a"));
  EXPECT_EQ(typed->pair, (std::tuple<int, std::string>{7, "x"}));
  EXPECT_EQ(typed->dtype, DType::kBfloat16);
  EXPECT_EQ(typed->number, std::complex<double>(1, -2));
}

TEST(Registry, RefusesWhatIsNotRegistered) {
  const Registry registry = demo_registry();
  EXPECT_THAT(error_of([&] { registry.read(R"({"cls_path":"std::system","timestamp":"t"})"); }), HasSubstr("std::system"));
  EXPECT_THAT(error_of([&] {
                registry.read(R"({"cls_path":"demo::Leaky","timestamp":"t","slope":{"cls_path":"os.system","timestamp":"t"}})");
              }),
              HasSubstr("$.slope.cls_path"));
}

TEST(Registry, NamesPathAndTimestampWhenTheArgumentsAreOfAnotherVersion) {
  const Registry registry = demo_registry();
  const auto built = [&](const char* text) { return error_of([&] { registry.build<Leaky>(registry.read(text)); }); };
  EXPECT_THAT(built(R"({"cls_path":"demo::Leaky","timestamp":"t1","angle":1.0})"), HasSubstr("demo::Leaky, a recipe of t1"));
  EXPECT_THAT(built(R"({"cls_path":"demo::Leaky","timestamp":"t1"})"), HasSubstr("it needs 'slope'"));
  EXPECT_THAT(error_of([&] {
                registry.build<Mlp>(
                    registry.read(R"({"cls_path":"demo::Mlp","timestamp":"t","hidden_size":1,"widths":[],"dropout":0.1})"));
              }),
              HasSubstr("it needs 'activation', since a later argument is given"));
}

TEST(Registry, RefusesValuesThatTheParameterDoesNotHold) {
  const Registry registry = demo_registry();
  const auto built = [&](const std::string& slope) {
    return error_of(
        [&] { registry.build<Leaky>(registry.read(R"({"cls_path":"demo::Leaky","timestamp":"t","slope":)" + slope + "}")); });
  };
  EXPECT_THAT(built(R"("0.5")"), HasSubstr("expected a float, found text (at $.slope)"));
  EXPECT_THAT(built(R"({"cls_path":"demo::Relu","timestamp":"t"})"), HasSubstr("$.slope"));
  EXPECT_EQ(built("2"), "no error");
}

TEST(Registry, RefusesAnObjectOfAnotherClass) {
  const Registry registry = demo_registry();
  const Spec relu = registry.make("demo::Relu", {});
  EXPECT_THAT(error_of([&] { registry.build<Mlp>(relu); }), HasSubstr("another class"));
}

TEST(Registry, RefusesAPathThatIsTaken) {
  Registry registry = demo_registry();
  EXPECT_THROW(registry.register_class<Relu>("demo::Relu"), Error);
  EXPECT_THROW(registry.register_class<Relu>("no path"), RecipeError);
}

TEST(Registry, ReadsAndBuildsOneSpecOnManyThreads) {
  const Registry registry = demo_registry();
  const Spec leaky = registry.make("demo::Leaky", {{"slope", 0.25}});
  const Spec mlp = registry.make("demo::Mlp", {{"hidden_size", 8}, {"widths", std::vector<int>{1, 2}}});
  const Spec spec =
      registry.make("demo::Stack", {{"activations", std::vector<Spec>{leaky, leaky}}, {"last", leaky}, {"mlp", mlp}});
  constexpr int kThreads = 4;
  std::latch start(kThreads);
  std::vector<std::string> wrong(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      for (int round = 0; round < 50; ++round) {
        const Spec copy = spec;
        if (registry.read(copy.text()) != spec || copy.names() != spec.names()) wrong[i] = "text";
        if (registry.build<Stack>(copy)->activations[1]->name() != "leaky") wrong[i] = "object";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, ::testing::Each(""));
}
