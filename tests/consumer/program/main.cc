#include <perdure/perdure.h>

#include <cstdint>
#include <iostream>
#include <vector>

namespace {

struct Model {
  std::vector<float> kernel;
  std::int64_t step = 0;
};

bool values_come_back(const std::string& path) {
  using perdure::Value;
  const std::vector<float> kernel = {1, 2, 3, 4, 5, 6};
  const Value state = Value::dict({{"step", 100}, {"params", Value::dict({{"kernel", Value::array({2, 3}, kernel)}})}});
  perdure::save(path, perdure::tree::flatten(state));

  const Value loaded = perdure::load(path);
  const auto again = loaded["params"]["kernel"].span<float>();
  return loaded["step"].as_int() == 100 && std::vector<float>(again.begin(), again.end()) == kernel;
}

}  // namespace

template <>
constexpr auto perdure::describe<Model>() {
  return record<Model>("program.Model", field("kernel", &Model::kernel), field("step", &Model::step));
}

namespace {

bool structs_come_back(const std::string& path) {
  perdure::save(path, Model{{1, 2, 3}, 100});
  Model model;
  perdure::load(path, model);
  Model other;
  perdure::tree::from_state_dict(other, perdure::tree::state_dict(model));
  return other.kernel == std::vector<float>{1, 2, 3} && other.step == 100;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string path = argv[1];
  const bool equal = values_come_back(path) && structs_come_back(path + ".struct");
  std::cout << (equal ? "equal" : "different") << "\n";
  return equal && perdure::verify(path).ok() ? 0 : 1;
}
