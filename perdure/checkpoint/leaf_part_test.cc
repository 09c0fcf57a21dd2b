// What leaf handlers may call their parts, and what they are told of damaged ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "perdure/base/error.h"
#include "perdure/checkpoint/leaf_handler.h"
#include "perdure/checkpoint/leaf_handler_registry.h"
#include "perdure/checkpoint/object.h"
#include "perdure/checkpoint/read/leaf_reader.h"
#include "tests/support/failures.h"
#include "tests/support/temporary_directory.h"

namespace leaf_part_test {

struct Thing {};

}  // namespace leaf_part_test

template <>
constexpr auto perdure::describe<leaf_part_test::Thing>() {
  return opaque<leaf_part_test::Thing>("test.Thing");
}

namespace perdure {
namespace {

using leaf_part_test::Thing;
using test::kind_of_failure;
using test::names_in;
using testing::HasSubstr;
using testing::IsEmpty;

using Serialize = std::function<void(LeafOutput&)>;

/// Any functions for the two halves.
struct ThingHandler final : LeafHandler<Thing> {
  Serialize save;
  std::function<void(const LeafInput&)> load;
  void serialize(const Thing&, LeafOutput& out) const override { save(out); }
  Thing deserialize(const LeafInput& in) const override {
    if (load) load(in);
    return {};
  }
};

LeafHandlerRegistry registry_of(Serialize save, std::function<void(const LeafInput&)> load = {}) {
  ThingHandler handler;
  handler.save = std::move(save);
  handler.load = std::move(load);
  LeafHandlerRegistry registry;
  registry.add("test.Thing", {}, handler);
  return registry;
}

Serialize putting_file(std::string suffix) {
  return [suffix](LeafOutput& out) { out.put_file(suffix, ""); };
}

Value array_of(const std::vector<float>& values) { return Value::array({values.size()}, values); }

/// A leaf of a handler called `key`, and an array.
Value state_of(std::string key) { return Value::dict({{key, Value::object(Thing())}, {"w", array_of({1})}}); }

class LeafParts : public testing::Test {
 protected:
  SaveOptions saving(const LeafHandlerRegistry& handlers) const { return {.arrays = arrays, .leaf_handlers = &handlers}; }
  /// Of a save that must leave nothing behind.
  std::string refusal(const Value& state, const Serialize& serialize, ErrorKind kind = ErrorKind::kInvalid) {
    const LeafHandlerRegistry handlers = registry_of(serialize);
    const std::string message = test::message_of_failure(kind, [&] { save(path, state, saving(handlers)); });
    EXPECT_THAT(names_in(directory.path()), IsEmpty());
    return message;
  }

  ArraySaveOptions arrays;
  const test::TemporaryDirectory directory;
  const std::string path = directory / "c";
};

TEST_F(LeafParts, MustNotTakeTheNameOfAnotherLeafOrPart) {
  const Value state = Value::dict({{"p", Value::object(Thing())}, {"p.text", 1}});
  EXPECT_THAT(refusal(state, [](LeafOutput& out) { out.put_text(".text", ""); }), HasSubstr("'p.text'"));
  const auto twice = [](LeafOutput& out) {
    out.put_text(".a", "");
    out.put_array(".a", array_of({1}));
  };
  EXPECT_THAT(refusal(state_of("p"), twice), HasSubstr("'p.a'"));
}

TEST_F(LeafParts, MustBeCalledWithinTheItem) {
  EXPECT_THAT(refusal(state_of("p"), putting_file("text")), HasSubstr("'text'"));
  EXPECT_THAT(refusal(state_of("p"), putting_file("/../../x")), HasSubstr("p/../../x"));
}

TEST_F(LeafParts, LeaveTheFormatItsNames) {
  for (const bool use_ocdbt : {true, false}) {
    arrays.use_ocdbt = use_ocdbt;
    EXPECT_THAT(refusal(state_of("manifest"), putting_file(".ocdbt")), HasSubstr("'manifest.ocdbt'"));
    EXPECT_THAT(refusal(state_of("_strings"), putting_file(".json")), HasSubstr("'_strings.json'"));
    EXPECT_THAT(refusal(state_of("_sharding"), putting_file("")), HasSubstr("'_sharding'"));
    EXPECT_THAT(refusal(state_of("d"), putting_file("/x")), HasSubstr("'d/x'"));
    EXPECT_THAT(refusal(state_of("_PERDURE"), putting_file(".new")), HasSubstr("'_PERDURE.new'"));
  }
}

TEST_F(LeafParts, MustNotBeOneFileTwice) {
  const auto twice = [](LeafOutput& out) {
    out.put_file(".a", "1");
    out.put_file(".a", "2");
  };
  EXPECT_THAT(refusal(state_of("p"), twice, ErrorKind::kAlreadyExists), HasSubstr("p.a"));
}

TEST_F(LeafParts, ThatAreArraysTakeNoSlashWhereTheyAreDirectories) {
  arrays.use_ocdbt = false;
  EXPECT_THAT(refusal(state_of("p"), [](LeafOutput& out) { out.put_array("/a", array_of({1})); }), HasSubstr("'p/a'"));
}

TEST_F(LeafParts, KeepTheirChecksumsAlsoWhereOneLiesWithinAnother) {
  const std::vector<float> both(1000, 1);
  const LeafHandlerRegistry handlers = registry_of([&](LeafOutput& out) {
    const auto* const data = reinterpret_cast<const std::byte*>(both.data());
    out.put_array(".both", Value::array(ArrayView::contiguous(data, DType::kFloat32, {1000})));
    out.put_array(".half", Value::array(ArrayView::contiguous(data, DType::kFloat32, {500})));
  });
  save(path, state_of("p"), saving(handlers));
  const checkpoint::LeafReader reader(path + "/state", std::nullopt);
  for (const char* name : {"p.both", "p.half"}) EXPECT_TRUE(reader.describe(name).codecs.has_crc32c()) << name;
}

TEST_F(LeafParts, WhoseDamageWasCaughtAreRefusedAgain) {
  arrays.use_zarr3 = false;  // no checksums but those of the files
  const auto twice = [](const LeafInput& in) {
    for (int i = 0; i < 2; ++i) EXPECT_EQ(kind_of_failure([&] { in.read_array(".a"); }), ErrorKind::kCorrupt);
  };
  const LeafHandlerRegistry handlers =
      registry_of([](LeafOutput& out) { out.put_array(".a", array_of(std::vector<float>(1000, 1))); }, twice);
  save(path, state_of("p"), saving(handlers));
  const std::string folder = path + "/state/d/";
  posix_file_system().open_writable(folder + names_in(folder)[0])->write_at(40, as_bytes("?"));
  LoadOptions options;
  options.leaf_handlers = &handlers;
  load(path, options);
}

}  // namespace
}  // namespace perdure
