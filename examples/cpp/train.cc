// Trains a small model, saves it every few steps, and goes on from the last checkpoint when it is started again.
//
//   train DIRECTORY STEPS
//
// The model fits y = sin(x) with 64 random features and gradient descent with momentum. Its end is the same to the last bit
// whether it ran in one go or was stopped on the way: the checkpoint holds the weights, the momentum, and the random generator.
#include <perdure/perdure.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int kFeatures = 64;
constexpr int kSaveEvery = 100;

struct Model {
  std::vector<float> frequency, phase, weight, momentum;
  std::mt19937 random{42};
  std::int64_t step = 0;
};

}  // namespace

template <>
constexpr auto perdure::describe<std::mt19937>() {
  return opaque<std::mt19937>("std.mt19937");
}
template <>
constexpr auto perdure::describe<Model>() {
  return record<Model>("train.Model", field("frequency", &Model::frequency), field("phase", &Model::phase),
                       field("weight", &Model::weight), field("momentum", &Model::momentum), field("random", &Model::random),
                       field("step", &Model::step));
}

namespace {

/// A random generator is saved as the text that it prints of itself.
void register_random_generator() {
  perdure::tree::register_serializer<std::mt19937>(
      [](const std::mt19937& random) {
        std::ostringstream text;
        text << random;
        return perdure::Value::dict({{"state", text.str()}});
      },
      [](std::mt19937& random, const perdure::Value& saved) { std::istringstream(saved["state"].as_text()) >> random; });
}

Model new_model() {
  Model model;
  std::uniform_real_distribution<float> uniform(-3, 3);
  for (int i = 0; i < kFeatures; ++i) {
    model.frequency.push_back(uniform(model.random));
    model.phase.push_back(uniform(model.random));
  }
  model.weight.resize(kFeatures);
  model.momentum.resize(kFeatures);
  return model;
}

/// One step on a fresh sample; returns the loss.
float train_step(Model& model) {
  const float x = std::uniform_real_distribution<float>(-3, 3)(model.random);
  std::vector<float> feature(kFeatures);
  float predicted = 0;
  for (int i = 0; i < kFeatures; ++i) {
    feature[i] = std::cos(model.frequency[i] * x + model.phase[i]);
    predicted += model.weight[i] * feature[i];
  }
  const float error = predicted - std::sin(x);
  for (int i = 0; i < kFeatures; ++i) {
    model.momentum[i] = 0.9f * model.momentum[i] + error * feature[i];
    model.weight[i] -= 0.002f * model.momentum[i];
  }
  ++model.step;
  return error * error;
}

std::optional<std::int64_t> last_step(const std::string& directory) {
  std::optional<std::int64_t> last;
  if (!std::filesystem::exists(directory)) return last;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;  // an unfinished save
    last = std::max(last.value_or(0), static_cast<std::int64_t>(std::stoll(name)));
  }
  return last;
}

std::uint32_t bits_of(const std::vector<float>& elements) {
  std::uint32_t hash = 0;
  for (const float element : elements) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &element, sizeof bits);
    hash = hash * 31 + bits;
  }
  return hash;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: train DIRECTORY STEPS\n");
    return 2;
  }
  const std::string directory = argv[1];
  try {
    register_random_generator();
    Model model = new_model();
    const auto resumed = last_step(directory);
    if (resumed) perdure::load(directory + "/" + std::to_string(*resumed), model);
    if (resumed) std::printf("resumed at step %lld\n", static_cast<long long>(model.step));
    float loss = 0;
    for (const std::int64_t end = std::atoll(argv[2]); model.step < end;) {
      loss = 0.99f * loss + 0.01f * train_step(model);
      if (model.step % kSaveEvery == 0) perdure::save(directory + "/" + std::to_string(model.step), model);
    }
    std::printf("step %lld, weights %08x\n", static_cast<long long>(model.step), bits_of(model.weight));
  } catch (const perdure::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
