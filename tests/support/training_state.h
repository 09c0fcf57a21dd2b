#pragma once
// A training state of a C++ program, with every kind of part that a state can have.
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "perdure/base/describe.h"

namespace perdure::test {

enum class Phase : std::uint8_t { kWarmup, kDecay = 7 };

struct Layer {
  std::vector<float> weight;
  std::array<std::array<double, 2>, 2> gain{};
};
struct Optimizer {
  double rate = 0.1;
  virtual ~Optimizer() = default;
};
struct Adam : Optimizer {
  std::vector<float> mu;
  std::int64_t step = 0;
};
struct Sgd : Optimizer {
  bool nesterov = false;
};
struct State {
  std::vector<Layer> layers;
  std::unique_ptr<Optimizer> optimizer;
  std::map<std::string, std::vector<double>> buffers;
  std::map<int, std::string> names;
  std::pair<int, std::tuple<bool, float>> schedule{0, {false, 0.f}};
  std::optional<double> best;
  std::variant<std::int64_t, std::string> tag;
  Phase phase = Phase::kWarmup;
  std::vector<bool> mask;
  std::uint64_t seed = 0;
};

/// One where everything has a value.
inline State full_state() {
  State state;
  state.layers = {{{1, 2, 3}, {{{1, 2}, {3, 4}}}}, {{4}, {}}};
  auto adam = std::make_unique<Adam>();
  adam->rate = 0.5;
  adam->mu = {5, 6};
  adam->step = 100;
  state.optimizer = std::move(adam);
  state.buffers["mean"] = {0.5, 0.25};
  state.names = {{0, "first"}, {7, "last"}};
  state.schedule = {3, {true, 0.5f}};
  state.best = 2.5;
  state.tag = "a tag";
  state.phase = Phase::kDecay;
  state.mask = {true, false, true};
  state.seed = ~std::uint64_t{0};
  return state;
}

/// One of the same structure, without the values.
inline State fresh_state() {
  State state;
  state.layers = {{{0, 0, 0}, {}}, {{0}, {}}};
  state.optimizer = std::make_unique<Adam>();
  state.buffers["mean"];
  state.names = {{0, ""}, {7, ""}};
  return state;
}

}  // namespace perdure::test

template <>
constexpr auto perdure::describe<perdure::test::Layer>() {
  using perdure::test::Layer;
  return record<Layer>("training.Layer", field("weight", &Layer::weight), field("gain", &Layer::gain));
}
template <>
constexpr auto perdure::describe<perdure::test::Optimizer>() {
  using perdure::test::Optimizer;
  return record<Optimizer>("training.Optimizer", field("rate", &Optimizer::rate));
}
template <>
constexpr auto perdure::describe<perdure::test::Adam>() {
  using perdure::test::Adam;
  return record<Adam>("training.Adam", bases<perdure::test::Optimizer>(), field("mu", &Adam::mu), field("step", &Adam::step));
}
template <>
constexpr auto perdure::describe<perdure::test::Sgd>() {
  using perdure::test::Sgd;
  return record<Sgd>("training.Sgd", bases<perdure::test::Optimizer>(), field("nesterov", &Sgd::nesterov));
}
template <>
constexpr auto perdure::describe<perdure::test::State>() {
  using perdure::test::State;
  return record<State>("training.State", field("layers", &State::layers), field("optimizer", &State::optimizer),
                       field("buffers", &State::buffers), field("names", &State::names), field("schedule", &State::schedule),
                       field("best", &State::best), field("tag", &State::tag), field("phase", &State::phase),
                       field("mask", &State::mask), field("seed", &State::seed));
}
