#include "perdure/storage/zarr/chunk_grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"

namespace perdure::storage::zarr {
namespace {

TEST(ChunkGrid, CutsEdgeChunks) {
  EXPECT_EQ(clipped_chunk_box({10, 9}, {4, 5}, {0, 0}), (Box{{0, 0}, {4, 5}}));
  EXPECT_EQ(clipped_chunk_box({10, 9}, {4, 5}, {2, 1}), (Box{{8, 5}, {2, 4}}));
  EXPECT_EQ(clipped_chunk_box({}, {}, {}), (Box{{}, {}}));
}

TEST(ChunkGrid, PadsEdgeChunks) {
  EXPECT_EQ(padded_chunk_box({4, 5}, {2, 1}), (Box{{8, 5}, {4, 5}}));
  EXPECT_EQ(padded_chunk_box({}, {}), (Box{{}, {}}));
}

TEST(ChunkGrid, NumbersChunksInCOrder) {
  EXPECT_EQ(index_of_chunk({3, 2}, 5), Shape({2, 1}));
  EXPECT_EQ(index_of_chunk({}, 0), Shape());
  const Shape grid{3, 1, 4};
  for (std::uint64_t number = 0; number < 12; ++number) EXPECT_EQ(number_of_chunk(grid, index_of_chunk(grid, number)), number);
}

TEST(ChunkGrid, CoversABoxExactlyOnce) {
  const Shape shape{10, 9, 3}, chunk_shape{4, 5, 2};
  const Box box{{3, 1, 0}, {6, 7, 3}};
  std::vector<int> seen(6 * 7 * 3, 0);
  for (const ChunkRead& read : plan_chunks(shape, chunk_shape, box)) {
    EXPECT_EQ(read.in_chunk.extent, read.in_target.extent);
    Shape index = read.in_target.offset, last = index;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      last[axis] += read.in_target.extent[axis] - 1;
      EXPECT_EQ(read.chunk_index[axis] * chunk_shape[axis] + read.in_chunk.offset[axis],
                box.offset[axis] + read.in_target.offset[axis]);
    }
    do ++seen[(index[0] * 7 + index[1]) * 3 + index[2]];
    while (next_index(index, read.in_target.offset, last));
  }
  EXPECT_THAT(seen, testing::Each(1));
}

TEST(ChunkGrid, PlansInCOrder) {
  std::vector<Shape> indices;
  for (const ChunkRead& read : plan_chunks({4, 4}, {2, 2}, Box::whole({4, 4}))) indices.push_back(read.chunk_index);
  EXPECT_THAT(indices, testing::ElementsAre(Shape{0, 0}, Shape{0, 1}, Shape{1, 0}, Shape{1, 1}));
}

TEST(ChunkGrid, PlansOneChunkForAScalarAndNoneForNoElements) {
  EXPECT_EQ(plan_chunks({}, {}, Box::whole({})).size(), 1u);
  EXPECT_TRUE(plan_chunks({0, 3}, {1, 3}, Box::whole({0, 3})).empty());
  EXPECT_TRUE(plan_chunks({4, 3}, {1, 3}, {{2, 0}, {0, 3}}).empty());
}

TEST(ChunkGrid, PlansASmallBoxOfAHugeArray) {
  const std::uint64_t huge = std::uint64_t{1} << 62;
  const auto reads = plan_chunks({huge, huge}, {1, 1024}, {{huge - 1, huge - 2}, {1, 2}});
  ASSERT_EQ(reads.size(), 1u);
  EXPECT_EQ(reads[0].chunk_index, (Shape{huge - 1, huge / 1024 - 1}));
}

TEST(ChunkGrid, RefusesABoxOutside) {
  EXPECT_THROW(plan_chunks({4}, {2}, {{3}, {2}}), Error);
  EXPECT_THROW(plan_chunks({4}, {2}, Box::whole({4, 1})), Error);
}

}  // namespace
}  // namespace perdure::storage::zarr
