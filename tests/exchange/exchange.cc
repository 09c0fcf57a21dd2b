// Writes the training state of tests/support/training_state.h for Python, or reads what Python has written.
//
//   exchange write-flat|write-object|write-handled|write-codecs|read-flat|read-object|read-handled CHECKPOINT
//
// Reading fills a fresh state and fails unless every leaf is as in the full one. "handled": leaves of a type that a handler keeps.
// write-codecs makes a directory of checkpoints, "v3-zstd" and so on: one for each codec that a save may choose in a Zarr version.
#include <perdure/perdure.h>

#include <iostream>
#include <string_view>

#include "perdure/tree/object/fit.h"
#include "tests/support/training_state.h"
#include "tests/support/write_formats.h"

namespace {

namespace test = perdure::test;
using perdure::Value;

struct Words {
  std::string text;
  std::vector<float> weight;
  std::string note;
  bool operator==(const Words&) const = default;
};

}  // namespace

template <>
constexpr auto perdure::describe<Words>() {
  return opaque<Words>("test.Words");
}

namespace {

class WordsHandler final : public perdure::LeafHandler<Words> {
  void serialize(const Words& words, perdure::LeafOutput& out) const override {
    out.put_text(".text", words.text);
    out.put_array(".weight", Value::array({words.weight.size()}, words.weight));
    out.put_file(".note", words.note);
  }
  Words deserialize(const perdure::LeafInput& in) const override {
    const Value weight = in.read_array(".weight");
    return {in.read_text(".text"), {weight.span<float>().begin(), weight.span<float>().end()}, in.read_file(".note")};
  }
};

const Words kWords{"a text", {1, 2, 3}, "a note"};

Value handled_state() { return Value::dict({{"deep", Value::list({Value::object(kWords), 3})}}); }

/// Each an array in a plain directory: what readers of Zarr without OCDBT take.
void write_codecs(const std::string& directory) {
  std::vector<float> numbers(5000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 7);
  const Value state = Value::dict({{"w", Value::array({50, 100}, numbers)}});
  for (const int version : {2, 3}) {
    for (const auto& codec : perdure::storage::codec_choices(version)) {
      perdure::SaveOptions options;
      options.arrays = {.use_ocdbt = false, .use_zarr3 = version == 3, .compression = codec};
      perdure::save(directory + "/v" + std::to_string(version) + "-" + (codec ? codec->name : "plain"), state, options);
    }
  }
}

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
  } else if (command == "write-handled") {
    perdure::save(path, handled_state());
  } else if (command == "write-codecs") {
    write_codecs(path);
  } else if (command == "read-handled") {
    return perdure::load(path)["deep"][0].as_object<Words>() == kWords;
  }
  return command.starts_with("write");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  perdure::tree::register_type<test::Adam>();
  perdure::default_leaf_handlers().add<WordsHandler>("test.Words");
  try {
    return run(argv[1], argv[2]) ? 0 : 1;
  } catch (const perdure::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
