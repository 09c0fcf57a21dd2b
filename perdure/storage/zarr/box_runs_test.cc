#include "perdure/storage/zarr/box_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perdure::storage::zarr {
namespace {

using testing::ElementsAre;
using testing::Pair;

/// Offset and size of every run of a box of int16 elements into a target of its own shape, or into columns of a wider one.
std::vector<std::pair<std::uint64_t, std::size_t>> runs(const Shape& chunk_shape, const Box& box,
                                                        std::uint64_t extra_columns = 0) {
  Shape wide = box.extent;
  if (extra_columns > 0) wide[wide.rank() - 1] += extra_columns;
  std::vector<std::byte> memory(wide.element_count() * 2);
  BoxRuns all(chunk_shape, box, ArraySpan::contiguous(memory.data(), DType::kInt16, wide).sub(Box::whole(box.extent)));
  std::vector<std::pair<std::uint64_t, std::size_t>> found;
  for (BoxRun run; all.next(run);) found.emplace_back(run.offset_bytes, run.target.size());
  return found;
}

TEST(BoxRuns, AWholeChunkIsOneRun) { EXPECT_THAT(runs({4, 5, 6}, Box::whole({4, 5, 6})), ElementsAre(Pair(0, 240))); }

TEST(BoxRuns, RowsThatFollowEachOtherAreOneRun) {
  EXPECT_THAT(runs({4, 5, 6}, {{1, 0, 0}, {2, 5, 6}}), ElementsAre(Pair(60, 120)));
}

TEST(BoxRuns, PartsOfRowsAreRunsInTheOrderOfTheChunk) {
  EXPECT_THAT(runs({4, 5}, {{1, 2}, {3, 2}}), ElementsAre(Pair(14, 4), Pair(24, 4), Pair(34, 4)));
}

TEST(BoxRuns, AxesOfOneElementDoNotSplit) { EXPECT_THAT(runs({1, 4, 5}, {{0, 1, 0}, {1, 2, 5}}), ElementsAre(Pair(10, 20))); }

TEST(BoxRuns, GapsInTheTargetSplit) { EXPECT_THAT(runs({2, 3}, Box::whole({2, 3}), 1), ElementsAre(Pair(0, 6), Pair(6, 6))); }

TEST(BoxRuns, AScalarIsOneRunAndAnEmptyBoxNone) {
  EXPECT_THAT(runs({}, Box::whole({})), ElementsAre(Pair(0, 2)));
  EXPECT_TRUE(runs({4, 5}, {{1, 2}, {0, 2}}).empty());
}

}  // namespace
}  // namespace perdure::storage::zarr
