#include "perdure/checkpoint/plan/chunk_shape.h"

#include <gtest/gtest.h>

#include "perdure/base/error.h"

namespace perdure::checkpoint {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

Shape choose(const Shape& shape, std::uint64_t itemsize, std::uint64_t bytes_max) {
  return choose_chunk_shape(shape, shape, itemsize, bytes_max);
}

TEST(ChunkShape, OfASmallArrayIsItsShape) {
  EXPECT_EQ(choose({3, 4}, 4, 64 * kMiB), Shape({3, 4}));
  EXPECT_EQ(choose({}, 8, 64 * kMiB), Shape({}));
}

TEST(ChunkShape, OfAnEmptyAxisIsOne) { EXPECT_EQ(choose({0, 3}, 4, 64 * kMiB), Shape({1, 3})); }

TEST(ChunkShape, SplitsAxisZeroEvenlyInWholePages) {
  const Shape chunk = choose({10'000, 1000}, 4, 16 * kMiB);  // rows of 4000 bytes, 40 MB in all
  EXPECT_EQ(chunk[1], 1000);
  EXPECT_EQ(chunk[0] * 4000 % kPageBytes, 0);
  EXPECT_EQ(ceil_divide(10'000, chunk[0]), 4);
  EXPECT_LE(chunk[0] * 4000, 16 * kMiB);
}

TEST(ChunkShape, ForgoesPagesWhereTheyWouldPadMuch) {
  const Shape chunk = choose({100, 50'257}, 1, kMiB);  // 4096 rows would fill whole pages
  EXPECT_EQ(chunk, Shape({20, 50'257}));
}

TEST(ChunkShape, SplitsInnerAxesWhenOneRowIsTooLarge) {
  EXPECT_EQ(choose({2, 1024, 1024}, 4, kMiB), Shape({1, 256, 1024}));
  EXPECT_EQ(choose({2, 2, 2}, 8, 1), Shape({1, 1, 1}));
}

TEST(ChunkShape, NeverExceedsTheLimitAndPadsLittle) {
  for (std::uint64_t extent = 1; extent < 300'000; extent = extent * 3 + 1) {
    for (const std::uint64_t row : {1, 3, 64, 1000, 4096}) {
      const Shape chunk = choose({extent, row}, 4, kMiB);
      EXPECT_LE(chunk.element_count() * 4, kMiB);
      const std::uint64_t count = ceil_divide(extent, chunk[0]) * ceil_divide(row, chunk[1]);
      EXPECT_LE(count * chunk.element_count() - extent * row, extent * row / 32 + count * row) << extent << " " << row;
    }
  }
}

TEST(ChunkShape, StaysInsideThePiecesOfAShardedArray) {
  EXPECT_EQ(choose_chunk_shape({64, 32}, {16, 16}, 4, 64 * kMiB), Shape({16, 16}));
  EXPECT_EQ(choose_chunk_shape({64, 32}, {16, 16}, 4, 256), Shape({4, 16}));
  EXPECT_EQ(choose_chunk_shape({34, 4}, {17, 4}, 4, 64), Shape({4, 4}));  // a prime has no divisor near
}

TEST(ChunkShape, IsDividedAsOrbaxDoes) {
  const auto divide = [](const Shape& shape, std::uint64_t bytes_max) {
    return divide_chunk_shape(shape, shape, 1, bytes_max, {});
  };
  EXPECT_EQ(divide({12}, 5), Shape({4}));
  EXPECT_EQ(divide({8, 8}, 16), Shape({4, 4}));
  EXPECT_EQ(divide({12, 12}, 20), Shape({4, 4}));
  EXPECT_EQ(divide({30, 30}, 100), Shape({10, 10}));
  EXPECT_EQ(divide({997}, 60), Shape({1}));
  EXPECT_EQ(divide({}, 0), Shape({}));
}

TEST(ChunkShape, IsCutWithoutDivisorsWhereThoseWouldMakeDust) {
  EXPECT_EQ(divide_chunk_shape({1'000'003}, {1'000'003}, 1, 1000, {}), Shape({1000}));
  EXPECT_EQ(divide_chunk_shape({997, 4}, {997, 4}, 4, 1600, {}), Shape({100, 4}));
  EXPECT_EQ(divide_chunk_shape({8, 8}, {8, 8}, 1, 1 << 20, {}), Shape({8, 8}));
  EXPECT_EQ(divide_chunk_shape({997, 4}, {997, 4}, 4, 1600, {0}), Shape({1, 4}));  // as asked for
}

TEST(ChunkShape, DividesShardedAxesFirstAsOrbaxDoes) {
  EXPECT_EQ(divide_chunk_shape({8, 16}, {4, 16}, 1, 32, {}), Shape({2, 16}));
  EXPECT_EQ(divide_chunk_shape({8, 16}, {4, 16}, 1, 8, {}), Shape({1, 8}));
  EXPECT_EQ(divide_chunk_shape({8, 32}, {4, 16}, 1, 8, {}), Shape({2, 4}));
}

TEST(ChunkShape, MakesShardAxesOneAsOrbaxDoes) {
  EXPECT_EQ(divide_chunk_shape({8, 8}, {8, 8}, 1, 100, {1}), Shape({8, 1}));
  EXPECT_EQ(divide_chunk_shape({6, 10}, {6, 10}, 1, 7, {0}), Shape({1, 5}));
  EXPECT_THROW(divide_chunk_shape({8, 8}, {8, 8}, 1, 100, {2}), Error);
}

}  // namespace
}  // namespace perdure::checkpoint
