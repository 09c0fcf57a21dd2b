// Trees that Orbax wrote, compared with the objects that were handed to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"
#include "perdure/base/json.h"
#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/verify.h"
#include "perdure/tree/names.h"
#include "tests/support/sha256.h"

namespace perdure {
namespace {

constexpr const char* kOrbaxFixtures[] = {
    "orbax_v0_chunked",         "orbax_v0_dir_per_param", "orbax_v0_empty_values", "orbax_v0_large_values",
    "orbax_v0_manager",         "orbax_v0_odd_names",     "orbax_v0_sharded",      "orbax_v0_standard",
    "orbax_v0_strings_scalars", "orbax_v0_zarr3",         "orbax_v1_save",         "orbax_v1_checkpointables",
};

std::string fixture(std::string_view name) { return join_path(PERDURE_SOURCE_DIR "/tests/fixtures", name); }

json::Value expected_of(const std::string& root) {
  return json::parse(read_file(posix_file_system(), join_path(root, "expected.json"), 1 << 24));
}

std::string dotted_path(const json::Object& leaf) {
  std::string name;
  for (const json::Value& step : leaf.at("path").as_array()) {
    const json::Value& key = step.as_array().at(1);
    if (&step != &leaf.at("path").as_array().front()) name += '.';
    name += key.is_string() ? key.as_string() : key.as_number().text;
  }
  return name;
}

Shape shape_of(const json::Object& leaf) {
  std::vector<std::uint64_t> dims;
  for (const json::Value& extent : leaf.at("shape").as_array()) dims.push_back(extent.as_uint64());
  return Shape(dims);
}

void expect_array(const Leaf& loaded, const json::Object& expected) {
  const auto& array = std::get<ArrayLeaf>(loaded);
  EXPECT_EQ(name(array.dtype), expected.at("dtype").as_string());
  EXPECT_EQ(array.shape, shape_of(expected));
  EXPECT_EQ(array.origin, expected.at("kind").as_string() == "jax.Array" ? "jax" : "numpy");
  EXPECT_EQ(test::sha256_hex(array.pieces.at(0).view.bytes()), expected.at("sha256").as_string());
}

void expect_scalar(const Scalar& loaded, const json::Value& value) {
  if (value.is_bool()) {
    EXPECT_EQ(std::get<bool>(loaded), value.as_bool());
  } else if (const auto* integer = std::get_if<std::int64_t>(&loaded)) {
    EXPECT_EQ(*integer, value.as_int64());
  } else {
    EXPECT_EQ(std::get<double>(loaded), value.as_double());
  }
}

NodeKind container_kind(const std::string& kind) {
  return kind == "List" ? NodeKind::kList : kind == "Tuple" ? NodeKind::kTuple : NodeKind::kMapping;
}

void expect_leaf(const tree::FlatTree& tree, const tree::Node& node, const json::Object& expected) {
  const std::string& kind = expected.at("kind").as_string();
  if (kind == "Dict" || kind == "List" || kind == "Tuple") {
    EXPECT_EQ(node.kind, container_kind(kind));
    EXPECT_EQ(node.child_count, 0u);
    return;
  }
  ASSERT_EQ(node.kind, NodeKind::kLeaf);
  const Leaf& leaf = tree.leaves[node.leaf_index];
  if (kind == "jax.Array" || kind == "np.ndarray") return expect_array(leaf, expected);
  const Scalar& scalar = std::get<Scalar>(leaf);
  if (kind == "scalar") return expect_scalar(scalar, expected.at("value"));
  EXPECT_EQ(std::holds_alternative<None>(scalar), kind == "None");
  if (kind == "string") {
    EXPECT_EQ(std::get<Text>(scalar).utf8, expected.at("value").as_string());
  }
}

void expect_tree(const tree::FlatTree& tree, const json::Array& expected) {
  const tree::DottedNames names(tree.structure);
  ASSERT_EQ(names.size(), expected.size());
  std::map<std::string, std::size_t> positions;
  for (std::size_t i = 0; i < names.size(); ++i) positions[std::string(names.name(i))] = names.position(i);
  for (const json::Value& leaf : expected) {
    const std::string name = dotted_path(leaf.as_object());
    SCOPED_TRACE(name);
    ASSERT_TRUE(positions.contains(name));
    expect_leaf(tree, tree.structure.nodes()[positions[name]], leaf.as_object());
  }
}

class OrbaxFixture : public ::testing::TestWithParam<const char*> {};

TEST_P(OrbaxFixture, GivesTheTreesThatWereSaved) {
  const std::string root = fixture(GetParam());
  const json::Value expected = expected_of(root);
  for (const auto& [item, leaves] : expected.as_object().at("trees").as_object().members()) {
    for (const bool map : {false, true}) {
      SCOPED_TRACE(item + (map ? " mapped" : ""));
      expect_tree(load_tree(join_path(join_path(root, "data"), item), {.read = {.map = map}}), leaves.as_array());
    }
  }
}

TEST_P(OrbaxFixture, HasNoFaults) {
  const std::string root = fixture(GetParam());
  const json::Value expected = expected_of(root);
  std::uint64_t checked_bytes = 0;
  for (const auto& [item, leaves] : expected.as_object().at("trees").as_object().members()) {
    const VerifyReport report = verify(join_path(join_path(root, "data"), item));
    checked_bytes += report.bytes_checked;
    for (const Fault& fault : report.faults)
      ADD_FAILURE() << item << ": " << fault.file << " " << fault.leaf << ": " << fault.what;
  }
  EXPECT_GT(checked_bytes, 0u);
}

INSTANTIATE_TEST_SUITE_P(Golden, OrbaxFixture, ::testing::ValuesIn(kOrbaxFixtures),
                         [](const auto& test) { return std::string(test.param); });

TEST(OrbaxFixtures, FindTheirTreesFromTheCheckpointDirectory) {
  EXPECT_EQ(load_tree(fixture("orbax_v1_save/data/ckpt")).structure.leaf_count(),
            load_tree(fixture("orbax_v1_save/data/ckpt/state")).structure.leaf_count());
  EXPECT_THAT(Checkpoint::open(fixture("orbax_v1_checkpointables/data/ckpt")).item_names(), ::testing::Contains("pytree"));
  EXPECT_THAT(Checkpoint::open(fixture("orbax_v0_manager/data/root/0")).item_names(),
              ::testing::ElementsAre("meta", "rng", "state"));
  EXPECT_GT(load_tree(fixture("orbax_v0_manager/data/root/0")).structure.leaf_count(), 0u);
  EXPECT_TRUE(Checkpoint::open(fixture("orbax_v0_manager/data/root/0")).commit_timestamp_ns().has_value());
}

TEST(OrbaxFixtures, GiveACastBoxOfAnArray) {
  const auto item = Checkpoint::open(fixture("orbax_v0_chunked/data/ckpt")).tree();
  for (std::uint32_t i = 0; i < item->leaves().size(); ++i) {
    const auto* array = std::get_if<StoredArray>(&item->leaves()[i]);
    if (array == nullptr || array->shape.rank() == 0 || info(array->dtype).kind != DTypeKind::kFloat) continue;
    Box box = Box::whole(array->shape);
    for (std::size_t axis = 0; axis < box.extent.rank(); ++axis) {
      box.offset[axis] = box.extent[axis] / 3;
      box.extent[axis] -= box.offset[axis];
    }
    const auto loaded =
        item->read({{.leaf_index = i, .dtype = DType::kFloat64, .box = box}, {.leaf_index = i, .dtype = DType::kFloat64}});
    std::vector<std::byte> expected(loaded[0].view.size_bytes());
    copy_array(loaded[1].view.sub(box), ArraySpan::contiguous(expected.data(), DType::kFloat64, box.extent));
    EXPECT_EQ(as_text(loaded[0].view.bytes()), as_text(expected)) << array->name;
  }
}

}  // namespace
}  // namespace perdure
