// Keeps the recipe of a model beside its weights, so that a program that knows neither sizes nor activation can load it.
//
//   recipe DIRECTORY save     trains nothing: writes a small network, its recipe and its weights
//   recipe DIRECTORY load     builds the network from the recipe, fills it with the weights, and calls it
#include <perdure/perdure.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

using perdure::Value;
using perdure::recipe::Registry;
using perdure::recipe::Spec;

struct Activation {
  virtual ~Activation() = default;
  virtual float operator()(float x) const = 0;
};
struct Tanh : Activation {
  float operator()(float x) const override { return std::tanh(x); }
};
struct LeakyRelu : Activation {
  explicit LeakyRelu(float negative_slope) : slope(negative_slope) {}
  float operator()(float x) const override { return x > 0 ? x : slope * x; }
  float slope;
};

struct Mlp {
  Mlp(int hidden_size, std::shared_ptr<Activation> between)
      : activation(std::move(between)), first(hidden_size, 0.5f), second(hidden_size, 0.25f) {}
  float operator()(float x) const {
    float sum = 0;
    for (std::size_t i = 0; i < first.size(); ++i) sum += second[i] * (*activation)(first[i] * x);
    return sum;
  }
  std::shared_ptr<Activation> activation;
  std::vector<float> first, second;
};

/// The classes that a recipe of this program may name, with the names of their arguments.
Registry known_classes() {
  Registry registry;
  registry.register_class<Mlp>("demo::Mlp", {"hidden_size", "activation"});
  registry.register_class<Tanh, Activation>("demo::Tanh");
  registry.register_class<LeakyRelu, Activation>("demo::LeakyRelu", {"negative_slope"});
  return registry;
}

Value array(const std::vector<float>& elements) { return Value::array(perdure::Shape{elements.size()}, elements); }

std::vector<float> floats(const Value& array) {
  const auto elements = array.span<float>();
  return {elements.begin(), elements.end()};
}

void save(const std::string& directory, const Registry& registry) {
  const Spec activation = registry.make("demo::LeakyRelu", {{"negative_slope", 0.125f}});
  const Spec spec = registry.make("demo::Mlp", {{"hidden_size", 8}, {"activation", activation}});
  const auto mlp = registry.build<Mlp>(spec);
  mlp->first[3] = -2;
  perdure::save(directory, Value::dict({{"recipe", spec.text()}, {"first", array(mlp->first)}, {"second", array(mlp->second)}}));
  std::printf("f(1) = %g\n", (*mlp)(1));
}

void load(const std::string& directory, const Registry& registry) {
  const Value state = perdure::load(directory);
  const Spec spec = registry.read(state["recipe"].as_text());
  const auto mlp = registry.build<Mlp>(spec);
  mlp->first = floats(state["first"]);
  mlp->second = floats(state["second"]);
  std::printf("%s\nf(1) = %g\n", spec.text().c_str(), (*mlp)(1));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: recipe DIRECTORY save|load\n");
    return 2;
  }
  try {
    const Registry registry = known_classes();
    if (std::strcmp(argv[2], "save") == 0) {
      save(argv[1], registry);
    } else {
      load(argv[1], registry);
    }
  } catch (const perdure::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
