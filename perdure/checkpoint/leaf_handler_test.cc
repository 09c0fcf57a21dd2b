#include "perdure/checkpoint/leaf_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/byte_limiter.h"
#include "perdure/base/error.h"
#include "perdure/checkpoint/checkpointables.h"
#include "perdure/checkpoint/leaf_handler_registry.h"
#include "perdure/checkpoint/object.h"
#include "perdure/checkpoint/verify.h"
#include "perdure/storage/kvstore.h"
#include "tests/support/failures.h"
#include "tests/support/temporary_directory.h"

namespace {

struct Words {
  std::string text;
  std::vector<float> weight;
  bool operator==(const Words&) const = default;
};
struct Note {
  std::string text;
};
struct Model {
  std::vector<double> bias;
  Words words;
  std::optional<Words> more;
  std::shared_ptr<Words> last;
  int step = 0;
};

}  // namespace

template <>
constexpr auto perdure::describe<Words>() {
  return opaque<Words>("test.Words");
}
template <>
constexpr auto perdure::describe<Note>() {
  return record<Note>("test.Note", field("text", &Note::text));
}
template <>
constexpr auto perdure::describe<Model>() {
  return record<Model>("test.Model", field("bias", &Model::bias), field("words", &Model::words), field("more", &Model::more),
                       field("last", &Model::last), field("step", &Model::step));
}

namespace perdure {
namespace {

using test::kind_of_failure;
using test::names_in;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Value array_of(const std::vector<float>& values) { return Value::array({values.size()}, values); }

class WordsHandler final : public LeafHandler<Words> {
 public:
  void serialize(const Words& words, LeafOutput& out) const override {
    if (words.text == "fails") throw Error(ErrorKind::kInputType, "these words cannot be saved");
    out.put_text(".text", words.text);
    out.put_array(".weight", array_of(words.weight));
  }
  Words deserialize(const LeafInput& in) const override {
    const Value weight = in.read_array(".weight");
    const auto numbers = weight.span<float>();
    return {in.read_text(".text"), {numbers.begin(), numbers.end()}};
  }
};

/// Keeps short words in a file.
class ShortWordsHandler final : public LeafHandler<Words> {
 public:
  bool takes(const Words& words) const override { return words.text.size() < 3; }
  void serialize(const Words& words, LeafOutput& out) const override { out.put_file(".words", words.text); }
  Words deserialize(const LeafInput& in) const override { return {in.read_file(".words"), {}}; }
};

/// Any function for the two halves.
struct Functions final : LeafHandler<Words> {
  std::function<void(const Words&, LeafOutput&)> save;
  std::function<Words(const LeafInput&)> load;
  void serialize(const Words& words, LeafOutput& out) const override { save(words, out); }
  Words deserialize(const LeafInput& in) const override { return load(in); }
};

LeafHandlerRegistry words_registry() {
  LeafHandlerRegistry registry;
  registry.add<WordsHandler>("test.Words");
  return registry;
}

LeafHandlerRegistry registry_of(std::function<void(const Words&, LeafOutput&)> save) {
  Functions functions;
  functions.save = std::move(save);
  LeafHandlerRegistry registry;
  registry.add("test.Words", {}, functions);
  return registry;
}

Value state_of(const Words& words) {
  return Value::dict({{"deep", Value::list({Value::object(words), 3})}, {"w", array_of({1, 2})}});
}

class LeafHandlers : public testing::Test {
 protected:
  SaveOptions saving(const LeafHandlerRegistry& handlers) const { return {.leaf_handlers = &handlers}; }
  LoadOptions loading(const LeafHandlerRegistry& handlers) const {
    LoadOptions options;
    options.leaf_handlers = &handlers;
    return options;
  }
  /// Of a save that must leave nothing behind.
  std::string refusal(const Value& state, const LeafHandlerRegistry& handlers, ErrorKind kind = ErrorKind::kInvalid) {
    try {
      save(path, state, saving(handlers));
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      EXPECT_THAT(names_in(directory.path()), IsEmpty());
      return error.message() + testing::PrintToString(error.notes());
    }
    return "";
  }

  const LeafHandlerRegistry words = words_registry();
  const test::TemporaryDirectory directory;
  const std::string path = directory / "c";
};

TEST_F(LeafHandlers, KeepAnObjectAmongValues) {
  save(path, state_of({"a text", {1, 2, 3}}), saving(words));
  const Value got = load(path, loading(words));
  EXPECT_EQ(got["deep"][0].as_object<Words>(), (Words{"a text", {1, 2, 3}}));
  EXPECT_EQ(got["deep"][1].as_int(), 3);
  EXPECT_THAT(got["w"].span<float>(), ElementsAre(1, 2));
  EXPECT_EQ(kind_of_failure([&] { got["deep"][0].as_object<Note>(); }), ErrorKind::kInvalid);
  EXPECT_TRUE(verify(path).ok());
}

TEST_F(LeafHandlers, WriteIntoTheItemUnderTheNameOfTheLeaf) {
  save(path, state_of({"a text", {1, 2, 3}}), saving(words));
  const auto store = storage::open_kvstore(path + "/state", "ocdbt");
  EXPECT_THAT(store->list("deep.0"), ElementsAre("deep.0.weight/c/0", "deep.0.weight/zarr.json"));
  EXPECT_EQ(std::get<Handled>(std::get<Scalar>(metadata(path).leaves[0])).typestr, "test.Words");
}

TEST_F(LeafHandlers, WorkWithoutADatabase) {
  for (const bool use_zarr3 : {true, false}) {
    SaveOptions options = saving(words);
    options.arrays.use_ocdbt = false;
    options.arrays.use_zarr3 = use_zarr3;
    options.overwrite = true;
    save(path, state_of({"a text", {1, 2, 3}}), options);
    EXPECT_EQ(load(path, loading(words))["deep"][0].as_object<Words>().weight, (std::vector<float>{1, 2, 3}));
    EXPECT_TRUE(verify(path).ok());
  }
}

TEST_F(LeafHandlers, KeepFieldsOfStructs) {
  const Model saved{{0.5}, {"one", {1}}, Words{"two", {2}}, std::make_shared<Words>(Words{"three", {3}}), 7};
  save(path, saved, saving(words));
  Model got;
  got.last = std::make_shared<Words>();
  load(path, got, loading(words));
  EXPECT_EQ(got.words, saved.words);
  EXPECT_EQ(got.more, saved.more);
  EXPECT_EQ(*got.last, *saved.last);
  EXPECT_EQ(got.step, 7);
  EXPECT_THAT(got.bias, ElementsAre(0.5));
}

TEST_F(LeafHandlers, EmptyAnOptional) {
  save(path, Model{{}, {"one", {1}}, std::nullopt, nullptr, 1}, saving(words));
  Model got;
  got.more = Words{"there", {}};
  load(path, got, loading(words));
  EXPECT_EQ(got.more, std::nullopt);
  EXPECT_EQ(got.last, nullptr);
}

TEST_F(LeafHandlers, KeepALeafThatIsTheWholeTreeOrHasAnEmptyKey) {
  const Words saved{"x", {1}};
  save(path, saved, saving(words));
  Words got;
  load(path, got, loading(words));
  EXPECT_EQ(got, saved);
  EXPECT_TRUE(verify(path).ok());
  save(directory / "d", Value::dict({{"", Value::object(saved)}}), saving(words));
  EXPECT_EQ(load(directory / "d", loading(words))[""].as_object<Words>(), saved);
  EXPECT_TRUE(verify(directory / "d").ok());
}

TEST_F(LeafHandlers, TakeARecordAsOneLeaf) {
  struct NoteHandler final : LeafHandler<Note> {
    void serialize(const Note& note, LeafOutput& out) const override { out.put_text("", note.text); }
    Note deserialize(const LeafInput& in) const override { return {in.read_text("")}; }
  };
  LeafHandlerRegistry registry;
  registry.add<NoteHandler>("test.Note");
  save(path, std::vector<Note>{{"a"}, {"b"}}, saving(registry));
  EXPECT_EQ(metadata(path).leaves.size(), 2u);
  std::vector<Note> got(2);
  load(path, got, loading(registry));
  EXPECT_EQ(got[1].text, "b");
}

TEST_F(LeafHandlers, FillATemplateOfValues) {
  save(path, state_of({"a text", {1}}), saving(words));
  const Value target =
      Value::dict({{"deep", Value::list({Value::object(Words{}), 0})}, {"w", Value::abstract({2}, DType::kFloat64)}});
  const Value got = load(path, target, loading(words));
  EXPECT_EQ(got["deep"][0].as_object<Words>().text, "a text");
  EXPECT_THAT(got["w"].span<double>(), ElementsAre(1, 2));
}

TEST_F(LeafHandlers, TakePartInCheckpointables) {
  Checkpointables pieces;
  pieces.add("model", state_of({"a text", {1}}));
  save_checkpointables(path, pieces, saving(words));
  const Checkpointables got = load_checkpointables(path, {}, loading(words));
  EXPECT_EQ(got.get<Value>("model")["deep"][0].as_object<Words>().text, "a text");
}

TEST_F(LeafHandlers, AreTheDefaultOnesWhereNoneAreNamed) {
  EXPECT_EQ(kind_of_failure([&] { save(path, state_of({"a", {}})); }), ErrorKind::kNoHandler);
  default_leaf_handlers() = words_registry();
  save(path, state_of({"a", {}}));
  EXPECT_EQ(load(path)["deep"][0].as_object<Words>().text, "a");
  default_leaf_handlers() = {};
}

TEST_F(LeafHandlers, WriteWhatWasThereWhenSaveAsyncReturned) {
  std::vector<float> weight(100'000, 1);
  const LeafHandlerRegistry registry = registry_of([&](const Words&, LeafOutput& out) {
    const auto* const data = reinterpret_cast<const std::byte*>(weight.data());
    out.put_array(".weight", Value::array(ArrayView::contiguous(data, DType::kFloat32, {weight.size()})));
    out.put_text(".text", "x");
  });
  Model model{{1}, {}, {}, {}, 1};
  const SaveFuture saving_it = save_async(path, model, saving(registry));
  std::ranges::fill(weight, 2.f);
  model.bias[0] = 9;
  saving_it.result();
  Model got;
  load(path, got, loading(words));
  EXPECT_EQ(got.words.weight, std::vector<float>(100'000, 1));
  EXPECT_EQ(got.bias[0], 1);
}

TEST_F(LeafHandlers, WithoutOneTheLeafIsNamedAndOthersLoad) {
  save(path, state_of({"a text", {1}}), saving(words));
  const LeafHandlerRegistry none;
  for (const bool has_template : {false, true}) {
    try {
      static_cast<void>(has_template ? load(path, abstract_tree(metadata(path)), loading(none)) : load(path, loading(none)));
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kNoHandler);
      EXPECT_EQ(error.message(), "unknown value type 'test.Words' of leaf 'deep.0': no leaf handler of this name is registered");
    }
  }
  LoadOptions rest = loading(none);
  rest.only = {"w"};
  EXPECT_THAT(load(path, rest)["w"].span<float>(), ElementsAre(1, 2));
}

TEST_F(LeafHandlers, ThatThrowLeaveNothingBehind) {
  EXPECT_THAT(refusal(state_of({"fails", {}}), words, ErrorKind::kInputType), HasSubstr("leaf deep.0"));
  EXPECT_EQ(kind_of_failure([&] { save_async(path, state_of({"fails", {}}), saving(words)); }), ErrorKind::kInputType);
  EXPECT_THAT(names_in(directory.path()), IsEmpty());
}

TEST_F(LeafHandlers, ThatThrowInALoadLeaveTheObjectAsItWas) {
  save(path, Model{{5}, {"one", {1}}, {}, {}, 7}, saving(words));
  Functions functions;
  functions.load = [](const LeafInput& in) -> Words { return {in.read_text(".gone"), {}}; };
  LeafHandlerRegistry failing;
  failing.add("test.Words", {}, functions);
  Model got;
  try {
    load(path, got, loading(failing));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
    EXPECT_THAT(error.message(), HasSubstr("'words.gone'"));
    EXPECT_THAT(error.notes(), ElementsAre("leaf words"));
  }
  EXPECT_EQ(got.step, 0);
  EXPECT_THAT(got.bias, IsEmpty());
}

TEST_F(LeafHandlers, MustPutTextThatIsUtf8) {
  EXPECT_THAT(refusal(state_of({"\xff", {}}), words), AllOf(HasSubstr("'deep.0.text' is not UTF-8"), HasSubstr("leaf deep.0")));
  const auto named = [](const Words&, LeafOutput& out) { out.put_array(".\xff", array_of({1})); };
  EXPECT_THAT(refusal(state_of({}), registry_of(named)), AllOf(HasSubstr("'.\\xff' is not UTF-8"), HasSubstr("leaf deep.0")));
  save(path, state_of({"\xed\xa0\x80", {}}), saving(words));
  EXPECT_EQ(load(path, loading(words))["deep"][0].as_object<Words>().text, "\xed\xa0\x80");
}

TEST_F(LeafHandlers, CannotSaveANameWithoutAValue) {
  save(path, state_of({"a text", {1}}), saving(words));
  const Value named = abstract_tree(metadata(path))["deep"];
  EXPECT_EQ(kind_of_failure([&] { save(directory / "d", named, saving(words)); }), ErrorKind::kInputType);
}

TEST_F(LeafHandlers, AreRefusedWhatDoesNotFitTheTemplate) {
  save(path, Value::dict({{"a", Value::object(Words{"x", {}})}}), saving(words));
  std::map<std::string, int> number = {{"a", 1}};
  EXPECT_THAT(test::message_of_failure(ErrorKind::kMismatch, [&] { load(path, number, loading(words)); }), HasSubstr("handled"));
  save(directory / "d", Value::dict({{"a", 1}}));
  std::map<std::string, Words> target = {{"a", {}}};
  EXPECT_THAT(test::message_of_failure(ErrorKind::kMismatch, [&] { load(directory / "d", target, loading(words)); }),
              HasSubstr("Words"));
}

TEST_F(LeafHandlers, AreAskedInOrderUntilOneTakesTheObject) {
  LeafHandlerRegistry registry;
  registry.add<ShortWordsHandler>("test.ShortWords").add<WordsHandler>("test.Words");
  save(path, std::vector<Words>{{"ab", {}}, {"abc", {1}}}, saving(registry));
  const std::vector<StoredLeaf> leaves = metadata(path).leaves;
  EXPECT_EQ(std::get<Handled>(std::get<Scalar>(leaves[0])).typestr, "test.ShortWords");
  EXPECT_EQ(std::get<Handled>(std::get<Scalar>(leaves[1])).typestr, "test.Words");
  std::vector<Words> got(2);
  load(path, got, loading(registry));
  EXPECT_EQ(got[0].text + got[1].text, "ababc");
}

TEST_F(LeafHandlers, CheckTheirFiles) {
  LeafHandlerRegistry registry;
  registry.add<ShortWordsHandler>("test.ShortWords");
  save(path, Value::dict({{"a", Value::object(Words{"x", {}})}}), saving(registry));
  const std::string file = path + "/state/a.words";
  posix_file_system().remove_file(file);
  write_new_file(posix_file_system(), file, as_bytes("y"));
  EXPECT_FALSE(verify(path).ok());
  EXPECT_EQ(kind_of_failure([&] { load(path, loading(registry)); }), ErrorKind::kCorrupt);
}

TEST_F(LeafHandlers, CheckArraysWhoseCodecsDoNot) {
  for (const bool use_ocdbt : {true, false}) {
    SaveOptions options = saving(words);
    options.arrays.use_zarr3 = false;
    options.arrays.use_ocdbt = use_ocdbt;
    options.overwrite = true;
    save(path, state_of({"x", std::vector<float>(1000, 1)}), options);
    const std::string folder = path + (use_ocdbt ? "/state/d" : "/state/deep.0.weight");
    const std::string file = use_ocdbt ? names_in(folder)[0] : "0";
    posix_file_system().open_writable(folder + "/" + file)->write_at(40, as_bytes("?"));
    EXPECT_EQ(kind_of_failure([&] { load(path, loading(words)); }), ErrorKind::kCorrupt) << file;
  }
}

TEST_F(LeafHandlers, StayWithinTheLimitsOfALoad) {
  save(path, state_of({"x", {1, 2, 3}}), saving(words));
  LoadOptions options = loading(words);
  options.read.bytes_max = 8 + 12;
  load(path, options);
  options.read.bytes_max = 8 + 11;
  EXPECT_EQ(kind_of_failure([&] { load(path, options); }), ErrorKind::kInvalid);
  EXPECT_EQ(kind_of_failure([&] { static_cast<void>(load(path, abstract_tree(metadata(path)), options)); }), ErrorKind::kInvalid);
}

/// Notes in which order arrays are written.
struct WriteOrder final : LeafStatusSink {
  std::vector<std::uint32_t> written;
  void on_transfer_start(std::uint32_t) override {}
  void on_transfer_end(std::uint32_t) override {}
  void on_write_start(std::uint32_t leaf_index) override { written.push_back(leaf_index); }
  void on_write_end(std::uint32_t) override {}
};

TEST_F(LeafHandlers, HaveThePriorityOfTheirLeafAndItsLimits) {
  const auto order = std::make_shared<WriteOrder>();
  const auto tree = [&] {
    return tree::flatten(Value::list({Value::object(Words{"x", {1, 2}}), array_of({3}), Value::object(Words{"y", {4}})}));
  };
  NamedTree item{"state", tree(), {}};
  using enum TransferPriority;
  item.transfer = {.priorities = {kDeprioritized, kPrioritized, kSynchronous}, .status = order};
  item.transfer.write_limiter = std::make_shared<ByteLimiter>(8);
  save_checkpointables(path, {item}, saving(words));
  EXPECT_THAT(order->written, ElementsAre(2, 1, 0));
  item.transfer.write_limiter = std::make_shared<ByteLimiter>(7);
  EXPECT_EQ(kind_of_failure([&] { save_checkpointables(directory / "d", {item}, saving(words)); }), ErrorKind::kInvalid);
}

TEST_F(LeafHandlers, StageWithinTheLimitOfTheSave) {
  SaveOptions options = saving(words);
  options.stage_bytes_max = 63;  // less than one copy takes: it is written before the call returns
  const SaveFuture done = save_async(path, state_of({"x", {1, 2, 3}}), options);
  EXPECT_TRUE(done.wait_for(std::chrono::milliseconds(0)));
  EXPECT_EQ(load(path, loading(words))["deep"][0].as_object<Words>().text, "x");
}

TEST(LeafHandlerRegistry, RefusesATypestrThatIsThere) {
  LeafHandlerRegistry registry = words_registry();
  EXPECT_EQ(kind_of_failure([&] { registry.add<ShortWordsHandler>("test.Words"); }), ErrorKind::kAlreadyExists);
}

TEST(LeafHandlerRegistry, AnOverridingHandlerTakesThePlaceAndTheOldOneStillLoads) {
  LeafHandlerRegistry registry = words_registry();
  registry.add<ShortWordsHandler>("test.New", {.overrides = true});
  const Words small{"a", {}}, large{"large", {}};
  EXPECT_EQ(registry.find(typeid(Words), &small)->typestr, "test.New");
  EXPECT_EQ(registry.find(typeid(Words), &large), nullptr);
  EXPECT_NE(registry.find("test.Words"), nullptr);
  registry.add<WordsHandler>("test.New", {.overrides = true});
  EXPECT_EQ(registry.find(typeid(Words), &large)->typestr, "test.New");
}

}  // namespace
}  // namespace perdure
