#include "perdure/checkpoint/write/stage.h"

#include <gtest/gtest.h>

#include <latch>
#include <numeric>
#include <thread>

namespace perdure::checkpoint {
namespace {

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

std::vector<std::int32_t> numbers(std::size_t count, std::int32_t first) {
  std::vector<std::int32_t> result(count);
  std::iota(result.begin(), result.end(), first);
  return result;
}

ArrayView view_of(const std::vector<std::int32_t>& values) {
  return ArrayView::contiguous(reinterpret_cast<const std::byte*>(values.data()), DType::kInt32, {values.size()});
}

std::vector<std::int32_t> values_of(const ArrayView& view) {
  const auto* data = reinterpret_cast<const std::int32_t*>(view.data);
  return {data, data + view.shape.element_count()};
}

TEST(Stage, KeepsWhatWasThereWhenItCopied) {
  StageArena arena;
  std::vector<std::vector<std::int32_t>> sources;
  for (std::size_t count : {3u, 0u, 1'000u, 5'000'000u}) sources.push_back(numbers(count, static_cast<std::int32_t>(count)));
  const auto want = sources;
  std::uint64_t bytes = 0;
  for (const auto& source : sources) bytes += Stage::bytes_of(view_of(source));
  std::optional<Stage> stage = arena.try_stage(bytes, kNoLimit);
  std::vector<ArrayView> copies;
  for (const auto& source : sources) copies.push_back(stage->add(view_of(source), nullptr));
  stage->copy(default_executor());
  for (auto& source : sources) std::ranges::fill(source, -1);
  for (std::size_t i = 0; i < copies.size(); ++i) EXPECT_EQ(values_of(copies[i]), want[i]);
}

TEST(Stage, GathersStridedArrays) {
  StageArena arena;
  const std::vector<std::int32_t> source = numbers(12, 0);
  const ArrayView backwards{reinterpret_cast<const std::byte*>(&source[10]), DType::kInt32, {6}, {-8}};
  std::optional<Stage> stage = arena.try_stage(Stage::bytes_of(backwards), kNoLimit);
  const ArrayView copy = stage->add(backwards, nullptr);
  stage->copy(inline_executor());
  EXPECT_EQ(values_of(copy), (std::vector<std::int32_t>{10, 8, 6, 4, 2, 0}));
}

TEST(Stage, LetsGoOfOwnersOnceItHasCopied) {
  StageArena arena;
  auto source = std::make_shared<std::vector<std::int32_t>>(numbers(4, 1));
  const std::weak_ptr<std::vector<std::int32_t>> watched = source;
  std::optional<Stage> stage = arena.try_stage(64, kNoLimit);
  stage->add(view_of(*source), source);
  source.reset();
  EXPECT_FALSE(watched.expired());
  stage->copy(inline_executor());
  EXPECT_TRUE(watched.expired());
}

TEST(StageArena, KeepsTheMemoryOfTheLastStageForTheNext) {
  StageArena arena;
  const std::byte* first = nullptr;
  first = arena.try_stage(10 << 20, kNoLimit)->owner().get();
  EXPECT_EQ(arena.held_bytes(), 10u << 20);
  EXPECT_EQ(arena.try_stage(8 << 20, kNoLimit)->owner().get(), first);
  EXPECT_EQ(arena.held_bytes(), 10u << 20);
  EXPECT_TRUE(arena.try_stage(4 << 20, kNoLimit));
  EXPECT_EQ(arena.held_bytes(), 4u << 20) << "a region that is far too large is given back";
}

TEST(Stage, PutsEveryCopyAtAMultipleOf64) {
  StageArena arena;
  const std::vector<std::int32_t> source = numbers(3, 0);
  std::optional<Stage> stage = arena.try_stage(2 * Stage::bytes_of(view_of(source)), kNoLimit);
  const std::byte* const first = stage->add(view_of(source), nullptr).data;
  EXPECT_EQ(stage->add(view_of(source), nullptr).data - first, 64);
}

TEST(StageArena, TakesFreshMemoryWhereTheKeptIsTooSmallOrWouldPassTheLimit) {
  StageArena arena;
  EXPECT_TRUE(arena.try_stage(4 << 20, kNoLimit));
  EXPECT_TRUE(arena.try_stage(10 << 20, kNoLimit));
  EXPECT_EQ(arena.held_bytes(), 10u << 20);
  EXPECT_TRUE(arena.try_stage(6 << 20, 8 << 20));
  EXPECT_EQ(arena.held_bytes(), 6u << 20);
}

TEST(StageArena, KeepsTheLargerOfTwoRegions) {
  StageArena arena;
  std::optional<Stage> large = arena.try_stage(4 << 20, kNoLimit);
  std::optional<Stage> small = arena.try_stage(2 << 20, kNoLimit);
  large.reset();
  small.reset();
  EXPECT_EQ(arena.held_bytes(), 4u << 20);
}

TEST(StageArena, DoesNotCountMemoryThatItDidNotGet) {
  StageArena arena;
  EXPECT_ANY_THROW(arena.try_stage(std::uint64_t{1} << 60, kNoLimit));
  EXPECT_EQ(arena.held_bytes(), 0u);
}

TEST(StageArena, RefusesWhatCanNeverFit) {
  StageArena arena;
  EXPECT_FALSE(arena.try_stage(1001, 1000));
  EXPECT_TRUE(arena.try_stage(1000, 1000));
  EXPECT_TRUE(arena.try_stage(0, 0));
}

TEST(StageArena, WaitsUntilOthersAreDoneAndNeverHoldsMoreThanTheLimit) {
  StageArena arena;
  std::optional<Stage> first = arena.try_stage(600, 1000);
  std::latch started(1);
  bool had_to_wait = false;
  std::jthread second([&] {
    started.count_down();
    EXPECT_TRUE(arena.try_stage(600, 1000));
    had_to_wait = arena.held_bytes() <= 1000;
  });
  started.wait();
  first.reset();
  second.join();
  EXPECT_TRUE(had_to_wait);
}

}  // namespace
}  // namespace perdure::checkpoint
