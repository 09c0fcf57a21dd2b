// Writes the training state of tests/support/training_state.h for Python, or reads what Python has written.
//
//   exchange write-flat|write-object|read-flat|read-object CHECKPOINT
//
// Reading fills a fresh state and fails unless every leaf is as in the full one.
#include <perdure/perdure.h>

#include <iostream>
#include <string_view>

#include "perdure/tree/object/fit.h"
#include "tests/support/training_state.h"

namespace {

namespace test = perdure::test;
using perdure::Value;

/// Names the leaves that differ.
bool is_full(const test::State& state) {
  const Value got = perdure::tree::state_dict(state), want = perdure::tree::state_dict(test::full_state());
  bool is_equal = got.size() == want.size();
  for (std::size_t i = 0; i < std::min(got.size(), want.size()); ++i) {
    const Value::Item &one = got.items()[i], &other = want.items()[i];
    if (one.key == other.key && perdure::tree::is_same(one.value.as_leaf(), other.value.as_leaf())) continue;
    std::cerr << "differs: " << one.key.str() << " " << other.key.str() << "\n";
    is_equal = false;
  }
  return is_equal;
}

bool run(std::string_view command, const std::string& path) {
  test::State state = test::fresh_state();
  if (command == "write-flat") {
    perdure::save(path, perdure::tree::state_dict(test::full_state()));
  } else if (command == "write-object") {
    perdure::save(path, test::full_state());
  } else if (command == "read-flat") {
    const auto report = perdure::tree::from_state_dict(state, perdure::load(path));
    return report.unused.empty() && report.unfilled.empty() && is_full(state);
  } else if (command == "read-object") {
    perdure::load(path, state);
    return is_full(state);
  }
  return command.starts_with("write");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  perdure::tree::register_type<test::Adam>();
  try {
    return run(argv[1], argv[2]) ? 0 : 1;
  } catch (const perdure::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
