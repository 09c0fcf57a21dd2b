#include <perdure/perdure.h>

#include <iostream>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  using perdure::Value;
  const std::vector<float> kernel = {1, 2, 3, 4, 5, 6};
  const Value state = Value::dict({{"step", 100}, {"params", Value::dict({{"kernel", Value::array({2, 3}, kernel)}})}});
  perdure::save(argv[1], perdure::tree::flatten(state));

  const Value loaded = perdure::load(argv[1]);
  const auto again = loaded["params"]["kernel"].span<float>();
  const bool equal = loaded["step"].as_int() == 100 && std::vector<float>(again.begin(), again.end()) == kernel;
  std::cout << (equal ? "equal" : "different") << "\n";
  return equal && perdure::verify(argv[1]).ok() ? 0 : 1;
}
