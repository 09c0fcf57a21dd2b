// Somebody overwrites a checkpoint while handlers of the program read it: what a load gives is of one save.
#include <gmock/gmock.h>

#include <filesystem>
#include <functional>
#include <stdexcept>

#include "perdure/checkpoint/checkpointables.h"
#include "perdure/checkpoint/leaf_handler_registry.h"
#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/object.h"
#include "perdure/checkpoint/save.h"
#include "tests/support/temporary_directory.h"

namespace {

struct Word {
  std::string text;
};
struct Model {
  int generation = 0;
  Word word;
};

}  // namespace

template <>
constexpr auto perdure::describe<Word>() {
  return opaque<Word>("test.Word");
}
template <>
constexpr auto perdure::describe<Model>() {
  return record<Model>("test.Model", field("generation", &Model::generation), field("word", &Model::word));
}

namespace perdure {
namespace {

using test::TemporaryDirectory;

const SaveOptions kOverwriting{.overwrite = true};

/// The name of a file is the word.
struct FileNameHandler final : CheckpointableHandler<Word> {
  std::unique_ptr<ItemWriter> save(const Word& word, const SaveOptions&) const override {
    return make_files_writer({{word.text, ""}});
  }
  Word load(const StoredItem& item, const Word*) const override {
    const std::filesystem::path file = *std::filesystem::directory_iterator(item.checkpoint().item_path(item.name()));
    before_reading();
    if (!std::filesystem::exists(file)) throw std::runtime_error("an exception of the handler's own");
    return {file.filename()};
  }
  std::function<void()> before_reading;
};

TEST(OverwrittenHandlers, OfAnItemMayFailInTheirOwnWay) {
  const TemporaryDirectory dir(TemporaryDirectory::parent_in_memory());
  CheckpointableHandlerRegistry registry;
  const auto save_word = [&](const char* text) {
    save_checkpointables(dir / "c", Checkpointables().add("word", Word{text}), kOverwriting, registry);
  };
  FileNameHandler handler;
  int loads = 0;
  handler.before_reading = [&] {
    if (++loads == 1) save_word("new");
  };
  registry.add("test.Word", {}, handler);
  save_word("old");
  EXPECT_EQ(load_checkpointables(dir / "c", {}, {}, registry).get<Word>("word").text, "new");
  EXPECT_EQ(loads, 2);
}

struct WordHandler final : LeafHandler<Word> {
  void serialize(const Word& word, LeafOutput& out) const override { out.put_text("", word.text); }
  Word deserialize(const LeafInput& in) const override {
    before_reading();
    return {in.read_text("")};
  }
  std::function<void()> before_reading;
};

TEST(OverwrittenHandlers, OfLeavesReadTheSaveThatTheRestIsOf) {
  const TemporaryDirectory dir(TemporaryDirectory::parent_in_memory());
  LeafHandlerRegistry registry;
  const auto save_generation = [&](int generation) {
    SaveOptions options = kOverwriting;
    options.leaf_handlers = &registry;
    save(dir / "c", Model{generation, {std::to_string(generation)}}, options);
  };
  WordHandler handler;
  int loads = 0;
  handler.before_reading = [&] {
    if (++loads == 1) save_generation(2);
  };
  registry.add("test.Word", {}, handler);
  LoadOptions options;
  options.leaf_handlers = &registry;

  save_generation(1);
  const Value as_saved = load(dir / "c", options);
  EXPECT_EQ(as_saved["generation"].as_int(), 2);
  EXPECT_EQ(as_saved["word"].as_object<Word>().text, "2");

  save_generation(1);
  loads = 0;
  Model model;
  load(dir / "c", model, options);
  EXPECT_EQ(model.generation, 2);
  EXPECT_EQ(model.word.text, "2");
}

}  // namespace
}  // namespace perdure
