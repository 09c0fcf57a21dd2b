#include "perdure/checkpoint/checkpointables.h"

#include <gmock/gmock.h>

#include "perdure/base/error.h"
#include "perdure/checkpoint/built_in_handlers.h"
#include "perdure/checkpoint/verify.h"
#include "tests/support/temporary_directory.h"

namespace perdure {
namespace {

using test::names_in;
using test::TemporaryDirectory;
using testing::HasSubstr;
using testing::IsEmpty;

struct Words {
  std::string text;
};
struct AnyWords {
  std::size_t length = 0;
};

/// Takes words of at least `least` letters.
class WordsHandler : public CheckpointableHandler<Words, AnyWords> {
 public:
  WordsHandler() = default;
  WordsHandler(std::size_t least, std::string mark) : least_(least), mark_(std::move(mark)) {}

 private:
  std::unique_ptr<ItemWriter> save(const Words& words, const SaveOptions&) const override {
    return make_files_writer({{"words/of.txt", words.text + mark_}});
  }
  Words load(const StoredItem& item, const AnyWords*) const override { return {item.read_file("words/of.txt")}; }
  bool is_handleable(const Words& words) const override { return words.text.size() >= least_; }
  std::optional<bool> is_abstract_handleable(const AnyWords& words) const override { return words.length >= least_; }

  std::size_t least_ = 0;
  std::string mark_;
};

Error thrown(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ErrorKind::kInvalid, "");
}

CheckpointableHandlerRegistry with_words() {
  CheckpointableHandlerRegistry registry = CheckpointableHandlerRegistry::built_in();
  registry.add<WordsHandler>("test.Words").add<WordsHandler>("test.LongWords", {}, WordsHandler(10, "!"));
  return registry;
}

TEST(Checkpointables, OfEveryBuiltInKindComeBack) {
  const TemporaryDirectory dir;
  Checkpointables pieces;
  pieces.add("tree", Value("text of a tree")).add("config", json::Value(json::Object{{"lr", json::Value(0.5)}}));
  pieces.add("note", std::string("note")).add("raw", Blob::from(std::string("a\0b", 3)));
  save_checkpointables(dir / "c", pieces);
  EXPECT_TRUE(verify(dir / "c").ok());
  const Checkpointables got = load_checkpointables(dir / "c");
  EXPECT_EQ(json::dump(got.get<json::Value>("config")), R"({"lr":0.5})");
  EXPECT_EQ(got.get<std::string>("note"), "note");
  EXPECT_EQ(got.get<Blob>("raw").text(), std::string_view("a\0b", 3));
  EXPECT_EQ(std::get<Text>(std::get<Scalar>(tree::flatten(got.get<Value>("tree")).leaves[0])).utf8, "text of a tree");
  EXPECT_EQ(thrown([&] { got.get<std::string>("tree"); }).kind(), ErrorKind::kInputType);
  EXPECT_EQ(thrown([&] { got.get<std::string>("nothing"); }).kind(), ErrorKind::kNotFound);
}

TEST(Checkpointables, GoToTheLastHandlerThatTakesThem) {
  const TemporaryDirectory dir;
  const CheckpointableHandlerRegistry registry = with_words();
  Checkpointables pieces;
  pieces.add("short", Words{"abc"}).add("long", Words{"abcdefghijkl"});
  save_checkpointables_async(dir / "c", pieces, {}, registry).result();
  EXPECT_EQ(Checkpoint::open(dir / "c").typestr("short"), "test.Words");
  Checkpointables asked;
  asked.add("long", AnyWords{12}).add("short");
  const Checkpointables got = load_checkpointables(dir / "c", asked, {}, registry);
  EXPECT_EQ(got.get<Words>("short").text, "abc");
  EXPECT_EQ(got.get<Words>("long").text, "abcdefghijkl!");
}

TEST(Checkpointables, AreLoadedByAHandlerThatKnowsAnOlderName) {
  const TemporaryDirectory dir;
  Checkpointables pieces;
  pieces.add("w", Words{"abc"});
  save_checkpointables(dir / "c", pieces, {}, with_words());
  CheckpointableHandlerRegistry renamed;
  renamed.add<WordsHandler>("test.Renamed", {.secondary_typestrs = {"test.Words"}});
  EXPECT_EQ(load_checkpointables(dir / "c", {}, {}, renamed).get<Words>("w").text, "abc");
  EXPECT_EQ(thrown([&] { load_checkpointables(dir / "c"); }).kind(), ErrorKind::kNoHandler);
}

TEST(Checkpointables, WithoutAHandlerAreRefusedByName) {
  const TemporaryDirectory dir;
  Checkpointables pieces;
  pieces.add("fine", std::string("x")).add("odd", 3.0L);
  const Error error = thrown([&] { save_checkpointables(dir / "c", pieces); });
  EXPECT_EQ(error.kind(), ErrorKind::kNoHandler);
  EXPECT_THAT(error.message(), HasSubstr("odd"));
  EXPECT_EQ(thrown([&] { save_checkpointables(dir / "c", Checkpointables()); }).kind(), ErrorKind::kInvalid);
  EXPECT_THAT(names_in(dir.path()), IsEmpty());
}

TEST(Checkpointables, ThatAreNotThereAreNamedBeforeAnythingIsRead) {
  const TemporaryDirectory dir;
  Checkpointables pieces;
  pieces.add("one", std::string("x"));
  save_checkpointables(dir / "c", pieces);
  Checkpointables asked;
  asked.add("zzz");
  const Error error = thrown([&] { load_checkpointables(dir / "c", asked); });
  EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
  EXPECT_THAT(error.message(), testing::AllOf(HasSubstr("zzz"), HasSubstr("one")));
}

TEST(CheckpointableHandlerRegistry, RefusesTwoOfOneNameOrTypestrAndAHandlerOfAnotherType) {
  CheckpointableHandlerRegistry registry = with_words();
  registry.add<WordsHandler>("test.Slot", {.name = "slot"});
  EXPECT_EQ(thrown([&] { registry.add<WordsHandler>("test.Words"); }).kind(), ErrorKind::kAlreadyExists);
  EXPECT_EQ(thrown([&] { registry.add<WordsHandler>("test.Other", {.name = "slot"}); }).kind(), ErrorKind::kAlreadyExists);
  EXPECT_EQ(thrown([&] { registry.for_save("slot", std::any(std::string("x"))); }).kind(), ErrorKind::kNoHandler);
  EXPECT_EQ(registry.for_save("slot", std::any(Words{"x"})).typestr, "test.Slot");
}

TEST(CheckpointableHandlerRegistry, LoadsWhatOrbaxRecordedUnderAnyOfItsNames) {
  const std::string v1 = "orbax.checkpoint.experimental.v1._src.handlers.json_handler.JsonHandler";
  for (const char* package : {"orbax.checkpoint._src", "orbax.checkpoint.v0._src"}) {
    const std::string v0 = package + std::string(".handlers.json_checkpoint_handler.JsonCheckpointHandler");
    EXPECT_EQ(CheckpointableHandlerRegistry::built_in().for_load("x", v0, {}).typestr, v1);
  }
}

}  // namespace
}  // namespace perdure
