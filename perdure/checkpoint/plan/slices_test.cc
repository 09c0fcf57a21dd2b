#include "perdure/checkpoint/plan/slices.h"

#include <gmock/gmock.h>

#include <numeric>

#include "tests/support/trees.h"

namespace perdure::checkpoint {
namespace {

using test::floats;
using test::mapping;
using test::viewed;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kRow = 4 * 100;  // bytes of a row of `matrix`
const ArrayLeaf& matrix() {
  static const ArrayLeaf leaf = floats({1000, 100});
  return leaf;
}

ArrayLeaf part(const Box& box) { return viewed(matrix(), matrix().pieces[0].view.sub(box)); }
ArrayLeaf rows(std::uint64_t first, std::uint64_t count) { return part({{first, 0}, {count, 100}}); }

ArrayLeaf turned(const ArrayLeaf& leaf) { return viewed(leaf, test::transposed(leaf.pieces[0].view)); }

SavePlan plan_of(std::vector<std::pair<std::string, Leaf>> members, const ArraySaveOptions& options = {}) {
  static std::vector<std::unique_ptr<NamedTree>> kept;  // plans borrow from them
  kept.push_back(std::make_unique<NamedTree>(NamedTree{"state", mapping(std::move(members)), {}}));
  return plan_save(*kept.back(), options);
}

bool is_slice(const SavePlan& plan, std::size_t array) { return plan.arrays[array].sharing.slice_of.has_value(); }

TEST(Slices, RowsOfAMatrixAreStoredWithIt) {
  const SavePlan plan = plan_of({{"part", rows(20, 50)}, {"whole", matrix()}});
  ASSERT_TRUE(is_slice(plan, 0));
  EXPECT_EQ(plan.arrays[0].sharing.slice_of->array, 1);
  EXPECT_EQ(plan.arrays[0].sharing.slice_of->offset_bytes, 20 * kRow);
  EXPECT_FALSE(plan.arrays[0].metadata.codecs.has_crc32c());
  EXPECT_TRUE(plan.arrays[1].metadata.codecs.has_crc32c());
  EXPECT_THAT(plan.arrays[1].sharing.cuts, ElementsAre(20 * kRow, 70 * kRow));
  EXPECT_THAT(plan.order, ElementsAre(1));
  EXPECT_EQ(plan.array_bytes, 1000 * kRow);
  EXPECT_EQ(plan.shared_bytes, 50 * kRow);
}

TEST(Slices, ATransposeIsStoredInTheOrderOfItsMemory) {
  const SavePlan plan = plan_of({{"whole", matrix()}, {"turned", turned(matrix())}, {"both", turned(rows(3, 4))}});
  for (const std::size_t array : {1, 2}) {
    ASSERT_TRUE(is_slice(plan, array));
    EXPECT_THAT(plan.arrays[array].format.axis_order, ElementsAre(1, 0));
    EXPECT_EQ(plan.arrays[array].metadata.codecs.transpose, plan.arrays[array].format.axis_order);
  }
  EXPECT_EQ(plan.arrays[2].sharing.slice_of->offset_bytes, 3 * kRow);
}

TEST(Slices, Zarr2HasAWordForTheReverseOrderOnly) {
  const ArrayLeaf cube = floats({10, 20, 30});
  const auto permuted = [&](std::array<std::size_t, 3> axes) {
    ArrayView view = cube.pieces[0].view;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      view.shape[i] = cube.shape[axes[i]];
      view.strides[i] = cube.pieces[0].view.strides[axes[i]];
    }
    return viewed(cube, view);
  };
  ArraySaveOptions zarr2;
  zarr2.use_zarr3 = false;
  const SavePlan plan = plan_of({{"cube", cube}, {"reverse", permuted({2, 1, 0})}, {"other", permuted({2, 0, 1})}}, zarr2);
  EXPECT_THAT(plan.arrays[1].format.axis_order, ElementsAre(2, 1, 0));
  EXPECT_FALSE(is_slice(plan, 2));
  const SavePlan in_zarr3 = plan_of({{"cube", cube}, {"other", permuted({2, 0, 1})}});
  EXPECT_THAT(in_zarr3.arrays[1].format.axis_order, ElementsAre(1, 2, 0));
}

TEST(Slices, AxesWithOneElementMayStandAnywhere) {
  ArrayView view = turned(matrix()).pieces[0].view;
  view.shape = {100, 1, 1000};
  view.strides = {4, 7, static_cast<std::int64_t>(kRow)};
  ArraySaveOptions zarr2;
  zarr2.use_zarr3 = false;
  const SavePlan plan = plan_of({{"whole", matrix()}, {"turned", viewed(matrix(), view)}}, zarr2);
  EXPECT_THAT(plan.arrays[1].format.axis_order, ElementsAre(2, 1, 0));
}

TEST(Slices, WhatHasGapsOrOnlyOverlapsIsStoredByItself) {
  ArrayView every_second = matrix().pieces[0].view;
  every_second.shape[0] = 500;
  every_second.strides[0] = 2 * static_cast<std::int64_t>(kRow);
  const SavePlan plan = plan_of({{"columns", part({{0, 10}, {1000, 20}})},
                                 {"every second row", viewed(matrix(), every_second)},
                                 {"first rows", rows(0, 600)},
                                 {"last rows", rows(400, 600)},
                                 {"within both", rows(500, 50)}});
  for (const std::size_t array : {0, 1, 2, 3}) EXPECT_FALSE(is_slice(plan, array)) << array;
  EXPECT_TRUE(is_slice(plan, 4));
}

TEST(Slices, ASliceOfASliceLiesInTheWhole) {
  const SavePlan plan = plan_of({{"inner", rows(30, 2)}, {"outer", rows(20, 50)}, {"whole", matrix()}, {"tied", rows(20, 50)}});
  EXPECT_EQ(plan.arrays[0].sharing.slice_of->array, 2);
  EXPECT_EQ(plan.arrays[1].sharing.slice_of->array, 2);
  EXPECT_EQ(plan.arrays[3].sharing.tied_to, 1);
  EXPECT_EQ(plan.arrays[3].format, plan.arrays[1].format);
}

TEST(Slices, LittleArraysAreNot) {
  const SavePlan plan = plan_of({{"whole", matrix()}, {"little", part({{0, 0}, {1, 31}})}, {"larger", part({{0, 0}, {1, 32}})}});
  EXPECT_EQ(plan.arrays[1].placement, Placement::kInline);
  EXPECT_FALSE(is_slice(plan, 1));
  EXPECT_TRUE(is_slice(plan, 2));
}

TEST(Slices, OfSeveralChunksJoinThem) {
  ArraySaveOptions options;
  options.chunk_bytes_max = 100 * kRow;
  const SavePlan within = plan_of({{"whole", matrix()}, {"part", rows(100, 100)}}, options);
  EXPECT_FALSE(within.arrays[0].sharing.is_joined);
  EXPECT_TRUE(within.arrays[0].metadata.codecs.has_crc32c());
  EXPECT_THAT(cuts_within(within.arrays[0], 1), IsEmpty());

  const SavePlan across = plan_of({{"whole", matrix()}, {"part", rows(150, 200)}}, options);
  EXPECT_TRUE(across.arrays[0].sharing.is_joined);
  EXPECT_FALSE(across.arrays[0].metadata.codecs.has_crc32c());
  EXPECT_EQ(across.arrays[1].chunk_count, 2);
  EXPECT_THAT(cuts_within(across.arrays[0], 1), ElementsAre(150 * kRow));
  EXPECT_THAT(cuts_within(across.arrays[0], 2), ElementsAre(250 * kRow));
}

TEST(Slices, KeepChunksThatSomebodyAskedFor) {
  ArraySaveOptions in_columns;
  in_columns.chunk_bytes_divided = 10 * kRow;
  in_columns.shard_axes = {1};
  EXPECT_FALSE(is_slice(plan_of({{"whole", matrix()}, {"part", rows(1, 20)}}, in_columns), 1));
}

TEST(Slices, AreFoundOnlyWhereTheBytesAreTheSame) {
  ArraySaveOptions compressed, halves;
  compressed.compression = storage::CodecChoice{"zstd", 1};
  halves.dtype = DType::kFloat16;
  for (const ArraySaveOptions& options : {compressed, halves})
    EXPECT_FALSE(is_slice(plan_of({{"whole", matrix()}, {"part", rows(1, 20)}}, options), 1));

  const ArrayView bytes = ArrayView::contiguous(matrix().pieces[0].view.data + 3, DType::kUint8, {1001});
  const SavePlan odd = plan_of({{"whole", matrix()}, {"bytes", viewed(matrix(), bytes)}});
  EXPECT_EQ(odd.arrays[1].sharing.slice_of->offset_bytes, 3);

  const ArrayLeaf flags = test::array_of<std::uint8_t>(DType::kBool, {1000}, std::vector<std::uint8_t>(1000, 2));
  const auto of_flags = [&](DType dtype) {
    return viewed(flags, ArrayView::contiguous(flags.pieces[0].view.data + 1, dtype, {500}));
  };
  const SavePlan plan = plan_of({{"flags", flags}, {"some", of_flags(DType::kBool)}, {"raw", of_flags(DType::kUint8)}});
  EXPECT_TRUE(is_slice(plan, 1));
  EXPECT_FALSE(is_slice(plan, 2)) << "a bool is stored as 0 or 1";
}

TEST(Slices, LieInAnArrayThatIsEqualToTheirOwn) {
  const SavePlan plan = plan_of({{"before", floats({1000, 100})}, {"whole", matrix()}, {"part", rows(1, 20)}});
  EXPECT_EQ(plan.values[1].same_as, 0);
  EXPECT_THAT(plan.arrays[0].sharing.cuts, ElementsAre(1 * kRow, 21 * kRow));
  EXPECT_THAT(plan.order, ElementsAre(0));
}

TEST(Slices, KeepChunksTogetherThatTheyCross) {
  ArraySaveOptions options;
  options.chunk_bytes_max = 100 * kRow;
  const SavePlan plan = plan_of({{"before", floats({100, 100})}, {"whole", matrix()}, {"part", rows(50, 100)}}, options);
  for (std::size_t value = 0; value <= 10; ++value) EXPECT_FALSE(plan.values[value].same_as) << value;
}

TEST(Slices, AreCopiedWithTheirArrayIfAnybodyMayChangeEither) {
  ArrayLeaf constant = matrix();
  constant.immutable = true;
  EXPECT_FALSE(plan_of({{"whole", constant}, {"part", rows(1, 20)}}).arrays[0].is_immutable);
  EXPECT_FALSE(plan_of({{"whole", constant}, {"tied", matrix()}}).arrays[0].is_immutable);
  EXPECT_TRUE(plan_of({{"whole", constant}, {"tied", constant}}).arrays[0].is_immutable);
}

TEST(Slices, AreCutEvenly) {
  ArraySaveOptions options;
  options.chunk_bytes_max = 16 * kRow;
  const auto chunk_of = [&](const ArrayLeaf& leaf) {
    const SavePlan plan = plan_of({{"whole", matrix()}, {"part", leaf}}, options);
    EXPECT_TRUE(is_slice(plan, 1));
    return plan.arrays[1].metadata.chunk_shape;
  };
  EXPECT_EQ(chunk_of(rows(1, 45)), Shape({15, 100}));
  EXPECT_EQ(chunk_of(rows(1, 46)), Shape({2, 100})) << "three chunks would need padding";
  EXPECT_EQ(chunk_of(turned(rows(1, 48))), Shape({100, 12})) << "along the outermost axis in memory";
  options.chunk_bytes_max = 100 * kRow;
  EXPECT_EQ(chunk_of(rows(1, 997)), Shape({997, 100})) << "single rows would be dust";
}

TEST(Slices, LieInRowsOfOne) {
  ArraySaveOptions options;
  options.chunk_bytes_max = 30'000;  // the last chunk has padding
  const ArrayLeaf line = viewed(matrix(), ArrayView::contiguous(matrix().pieces[0].view.data, DType::kFloat32, {1, 100'000}));
  EXPECT_TRUE(is_slice(plan_of({{"whole", line}, {"part", rows(1, 20)}}, options), 1));
}

TEST(Slices, AreWrittenWithTheFirstOfTheirPriorities) {
  NamedTree item{"state", mapping({{"whole", matrix()}, {"part", rows(1, 20)}}), {}};
  item.transfer.priorities = {TransferPriority::kDeprioritized, TransferPriority::kSynchronous};
  EXPECT_EQ(plan_save(item, {}).arrays[0].priority, TransferPriority::kSynchronous);
}

}  // namespace
}  // namespace perdure::checkpoint
