#include "perdure/checkpoint/plan/save_plan.h"

#include <gmock/gmock.h>

#include "perdure/base/error.h"
#include "tests/support/trees.h"

namespace perdure::checkpoint {
namespace {

using test::array_of;
using test::floats;
using test::mapping;
using testing::ElementsAre;
using testing::HasSubstr;

NamedTree item_of(std::vector<std::pair<std::string, Leaf>> members) { return {"state", mapping(std::move(members)), {}}; }

std::string refusal(const NamedTree& item, const ArraySaveOptions& options = {}) {
  try {
    plan_save(item, options);
  } catch (const Error& error) {
    EXPECT_TRUE(error.kind() == ErrorKind::kInvalid || error.kind() == ErrorKind::kInputType);
    return error.what();
  }
  return "accepted";
}

template <class Change>
ArraySaveOptions options_with(Change change) {
  ArraySaveOptions options;
  change(options);
  return options;
}

TEST(SavePlan, NamesLeavesByTheirKeysJoinedWithDots) {
  NamedTree item{"state", {}, {}};
  auto& structure = item.tree.structure;
  structure.append(NodeKind::kMapping, {});
  structure.append(NodeKind::kList, {Text{"layers"}});
  structure.append(NodeKind::kMapping, {std::int64_t{0}});
  structure.append(NodeKind::kLeaf, {std::int64_t{7}});
  for (int i = 0; i < 3; ++i) structure.set_child_count(i, 1);
  item.tree.leaves.push_back(floats({2}));
  const SavePlan plan = plan_save(item, {});
  EXPECT_EQ(plan.arrays[0].name, "layers.0.7");
  const auto& path = plan.metadata.entries[0].path;
  EXPECT_EQ(path[1].type, TreeMetadataEntry::KeyType::kSequence);
  EXPECT_EQ(path[2].type, TreeMetadataEntry::KeyType::kMapping);
  EXPECT_EQ(path[2].key, "7");
}

TEST(SavePlan, PutsLargeValuesOnPagesFirstAndSmallOnesIntoTheTree) {
  const NamedTree item =
      item_of({{"scalar", Scalar{1.5}}, {"small", floats({100})}, {"large", floats({1 << 15})}, {"bias", floats({8})}});
  const SavePlan plan = plan_save(item, {});
  EXPECT_THAT(plan.order, ElementsAre(2, 1, 0, 3));
  EXPECT_EQ(plan.arrays[plan.values[2].array].placement, Placement::kPage);
  EXPECT_EQ(plan.arrays[plan.values[1].array].placement, Placement::kPacked);
  EXPECT_EQ(plan.arrays[plan.values[0].array].placement, Placement::kInline);
}

TEST(SavePlan, CutsLargeArraysIntoChunks) {
  const NamedTree item = item_of({{"w", floats({1000, 100})}});
  const SavePlan plan = plan_save(item, options_with([](auto& options) { options.chunk_bytes_max = 100'000; }));
  EXPECT_EQ(plan.arrays[0].chunk_count, 4);
  EXPECT_EQ(plan.arrays[0].metadata.chunk_shape, Shape({250, 100}));
}

TEST(SavePlan, StoresTiedArraysOnce) {
  const ArrayLeaf table = floats({100, 100});
  const NamedTree item =
      item_of({{"embed", table}, {"head", table}, {"other", test::viewed(table, test::transposed(table.pieces[0].view))}});
  const SavePlan plan = plan_save(item, {});
  EXPECT_EQ(plan.arrays[1].sharing.tied_to, 0);
  EXPECT_EQ(plan.arrays[1].first_value, plan.arrays[0].first_value);
  EXPECT_EQ(std::get<StoredArrayRef>(plan.leaves[1]).tied_to, 0);
  EXPECT_FALSE(plan.arrays[2].sharing.tied_to) << "a transpose is not the same object";
  EXPECT_EQ(plan.shared_bytes, 80'000);
  EXPECT_EQ(plan.order.size(), 1);
}

TEST(SavePlan, DoesNotTieWhatIsStoredDifferently) {
  const ArrayLeaf table = floats({100, 100});
  NamedTree item = item_of({{"a", table}, {"b", table}});
  item.leaf_options = {std::nullopt, options_with([](auto& options) { options.dtype = DType::kBfloat16; })};
  EXPECT_FALSE(plan_save(item, {}).arrays[1].sharing.tied_to);
}

/// In pieces of so many rows.
ArrayLeaf in_pieces(ArrayLeaf leaf, std::uint64_t rows) {
  const ArrayView whole = leaf.pieces[0].view;
  leaf.pieces.clear();
  for (std::uint64_t row = 0; row < leaf.shape[0]; row += rows) {
    const Box box{{row, 0}, {rows, leaf.shape[1]}};
    leaf.pieces.push_back({box, whole.sub(box)});
  }
  return leaf;
}

TEST(SavePlan, StoresEqualChunksOnceWhereverTheyLie) {
  std::vector<std::pair<std::string, Leaf>> members = {
      {"a", floats({64, 64})}, {"b", floats({64, 64})}, {"flat", floats({4096})}};
  std::vector<float> changed(4096);
  for (int i = 0; i < 4096; ++i) changed[i] = static_cast<float>(i);
  changed[300] = -1;  // between the samples of the fingerprint
  members.emplace_back("changed", array_of(DType::kFloat32, {64, 64}, changed));
  const NamedTree item = item_of(std::move(members));
  const SavePlan plan = plan_save(item, {});
  EXPECT_EQ(plan.values[1].same_as, 0);
  EXPECT_EQ(plan.values[2].same_as, 0);
  EXPECT_FALSE(plan.values[3].same_as);
  EXPECT_FALSE(std::get<StoredArrayRef>(plan.leaves[1]).tied_to) << "equal is not the same object";
}

TEST(SavePlan, StoresEqualChunksOfShardedArraysOnce) {
  const auto options = options_with([](auto& each) { each.chunk_bytes_max = 4096; });
  NamedTree item = item_of({{"whole", floats({1024, 4})},
                            {"in halves", in_pieces(floats({1024, 4}), 512)},
                            {"in quarters", in_pieces(floats({1024, 4}), 256)},
                            {"in chunks of several pieces", in_pieces(floats({1024, 4}), 128)}});
  item.leaf_options.assign(4, options);
  item.leaf_options.back()->write_shape = {256, 4};
  const SavePlan plan = plan_save(item, options);
  for (const std::size_t value : {4, 7, 8, 11}) EXPECT_EQ(plan.values[value].same_as, value % 4) << value;
  EXPECT_THAT(plan.order, ElementsAre(0, 1, 2, 3, 12, 13, 14, 15));
}

TEST(SavePlan, StoresEqualChunksOfSmallTypesOnceIfTheirUnusedBitsAreClear) {
  const auto bools = [](std::uint8_t last) {
    std::vector<std::uint8_t> values(5000, 1);
    values.back() = last;
    return array_of(DType::kBool, {5000}, values);
  };
  const NamedTree item = item_of({{"a", bools(1)}, {"b", bools(1)}, {"c", bools(2)}, {"d", bools(2)}});
  EXPECT_THAT(plan_save(item, {}).order, ElementsAre(0, 2, 3));
}

TEST(SavePlan, ArraysWithoutElementsHaveNoChunks) {
  const SavePlan plan = plan_save(item_of({{"buf", floats({0, 3})}, {"bytes", Scalar{Blob{}}}}), {});
  EXPECT_EQ(plan.values.size(), 0);
  EXPECT_EQ(plan.arrays[0].metadata.chunk_shape, Shape({1, 3}));
}

TEST(SavePlan, RefusesTwoLeavesUnderOneName) {
  const std::string text = refusal(item_of({{"a.0", Scalar{1.0}}, {"a.0", Scalar{2.0}}}));
  EXPECT_THAT(text, HasSubstr("a.0"));
}

TEST(SavePlan, RefusesNamesThatDifferByAClosingSlashOnly) {
  EXPECT_THAT(refusal(item_of({{"w", floats({1})}, {"w/", floats({1})}})), HasSubstr("'w' and 'w/'"));
  EXPECT_EQ(refusal(item_of({{"w/", floats({1})}, {"", floats({1})}, {"/", floats({1})}})), "accepted");
}

TEST(SavePlan, RefusesTupleKeysThatAreNestedTooDeep) {
  const auto item_with_key_of_depth = [](std::size_t depth) {
    Key key("w");
    for (std::size_t i = 0; i < depth; ++i) key = Key(KeyTuple{std::move(key)});
    NamedTree item{"state", {}, {}};
    item.tree.structure.append(NodeKind::kMapping, {});
    item.tree.structure.append(NodeKind::kMapping, {Text{"params"}});
    item.tree.structure.append(NodeKind::kLeaf, std::move(key));
    for (std::size_t i = 0; i < 2; ++i) item.tree.structure.set_child_count(i, 1);
    item.tree.leaves.push_back(floats({2}));
    return item;
  };
  EXPECT_EQ(refusal(item_with_key_of_depth(kKeyDepthMax)), "accepted");
  const std::string text = refusal(item_with_key_of_depth(kKeyDepthMax + 1));
  EXPECT_THAT(text, HasSubstr("nested more than 64 deep\nkey path params.(((("));
}

TEST(SavePlan, RefusesPiecesThatDoNotMakeUpTheArray) {
  ArrayLeaf leaf = floats({4});
  leaf.shape = {5};
  EXPECT_THAT(refusal(item_of({{"half", leaf}})), HasSubstr("leaf half"));
  leaf.shape = {3};
  EXPECT_THAT(refusal(item_of({{"half", leaf}})), HasSubstr("leaf half"));
}

TEST(SavePlan, RefusesNamesThatCannotBeDirectoriesOnlyWithoutOcdbt) {
  for (const char* name : {"", "..", "a/b", "_METADATA"}) {
    const NamedTree item = item_of({{name, Scalar{1.0}}});
    EXPECT_THAT(refusal(item, options_with([](auto& options) { options.use_ocdbt = false; })),
                HasSubstr(std::string("leaf ") + name))
        << name;
    EXPECT_EQ(refusal(item), "accepted") << name;
  }
}

TEST(SavePlan, RefusesOptionsForOtherLeaves) {
  NamedTree item = item_of({{"w", floats({4})}});
  item.leaf_options.resize(2);
  EXPECT_THAT(refusal(item), HasSubstr("2 leaf options for 1 leaves"));
}

TEST(SavePlan, AnEmptyTreeHasNoEntries) {
  const SavePlan plan = plan_save(item_of({}), {});
  EXPECT_TRUE(plan.metadata.entries.empty());
  EXPECT_TRUE(plan.metadata.is_ours);
}

}  // namespace
}  // namespace perdure::checkpoint
