// Types that perdure does not know: one saved as a checkpointable of its own, one as leaves of a tree.
//
//   example_handlers DIRECTORY
#include <perdure/perdure.h>

#include <iostream>

namespace {

struct Words {
  std::string text;
};

class WordsHandler : public perdure::CheckpointableHandler<Words> {
 public:
  std::unique_ptr<perdure::ItemWriter> save(const Words& words, const perdure::SaveOptions&) const override {
    return perdure::make_files_writer({{"words.txt", words.text}});
  }
  Words load(const perdure::StoredItem& item, const Words*) const override { return {item.read_file("words.txt")}; }
};

void save_words(const std::string& path, const Words& words, const perdure::Value& state) {
  perdure::CheckpointableHandlerRegistry registry = perdure::CheckpointableHandlerRegistry::built_in();
  registry.add<WordsHandler>("my_program.WordsHandler");
  perdure::Checkpointables pieces;
  pieces.add("words", words).add("model", state);
  perdure::save_checkpointables(path, pieces, {}, registry);

  const perdure::Checkpointables loaded = perdure::load_checkpointables(path, {}, {}, registry);
  std::cout << "words: " << loaded.get<Words>("words").text << "\n";
}

struct Pair {
  std::vector<float> left, right;
};

}  // namespace

template <>
constexpr auto perdure::describe<Pair>() {
  return opaque<Pair>("example.Pair");
}

namespace {

std::vector<float> floats(const perdure::Value& array) {
  const auto elements = array.span<float>();
  return {elements.begin(), elements.end()};
}

class PairHandler : public perdure::LeafHandler<Pair> {
 public:
  void serialize(const Pair& pair, perdure::LeafOutput& out) const override {
    out.put_array(".left", perdure::Value::array({pair.left.size()}, pair.left));
    out.put_array(".right", perdure::Value::array({pair.right.size()}, pair.right));
  }
  Pair deserialize(const perdure::LeafInput& in) const override {
    return {floats(in.read_array(".left", perdure::DType::kFloat32)), floats(in.read_array(".right", perdure::DType::kFloat32))};
  }
};

void save_pairs(const std::string& path, const Pair& pair) {
  perdure::default_leaf_handlers().add<PairHandler>("example.Pair");

  perdure::save(path, perdure::Value::dict({{"pair", perdure::Value::object(pair)}, {"step", 100}}));
  const perdure::Value state = perdure::load(path);
  const Pair& again = state["pair"].as_object<Pair>();
  std::cout << "pair: " << again.left[1] << " " << again.right[0] << "\n";
}

void save_in_the_background(const std::string& path, const perdure::Value& state) {
  perdure::SaveFuture saving = perdure::save_async(path, state);
  // the arrays of the state may change now
  saving.result();  // durable from here on; throws what went wrong, each time you ask
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string directory = argv[1];
  try {
    const perdure::Value state = perdure::Value::dict({{"weight", perdure::Value::array({2}, std::vector<float>{1, 2})}});
    save_words(directory + "/words", {"a b"}, state);
    save_pairs(directory + "/pairs", {{1, 2}, {3}});
    save_in_the_background(directory + "/background", state);
    return 0;
  } catch (const perdure::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
