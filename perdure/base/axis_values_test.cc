#include "perdure/base/axis_values.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace perdure {
namespace {

using Values = AxisValues<std::int64_t>;

std::vector<std::int64_t> first_numbers(std::size_t count) {
  std::vector<std::int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::int64_t{-1});
  return numbers;
}

std::vector<std::int64_t> listed(const Values& values) { return {values.begin(), values.end()}; }

/// Inside the object and outside.
class AxisValuesTest : public testing::TestWithParam<std::size_t> {
 protected:
  const std::vector<std::int64_t> numbers_ = first_numbers(GetParam());
  const Values values_{std::span<const std::int64_t>(numbers_)};
};
INSTANTIATE_TEST_SUITE_P(Ranks, AxisValuesTest, testing::Values(0, 1, 4, 5, 33));

TEST_P(AxisValuesTest, HoldsWhatItWasMadeOf) {
  EXPECT_EQ(listed(values_), numbers_);
  EXPECT_EQ(values_.size(), numbers_.size());
  EXPECT_EQ(listed(Values(GetParam(), 7)), std::vector<std::int64_t>(GetParam(), 7));
}

TEST_P(AxisValuesTest, IsCopied) {
  Values copy = values_;
  EXPECT_EQ(copy, values_);
  for (std::int64_t& value : copy) value = 100;
  EXPECT_EQ(listed(values_), numbers_);
}

TEST_P(AxisValuesTest, IsAssignedOverValuesOfEverySize) {
  for (const std::size_t size : {0u, 3u, 6u}) {
    Values target(size, 9);
    target = values_;
    EXPECT_EQ(listed(target), numbers_);
    target = Values(size, 9);
    EXPECT_EQ(target, Values(size, 9));
  }
}

TEST_P(AxisValuesTest, IsEmptyAfterItHasMoved) {
  Values source = values_;
  const Values target = std::move(source);
  EXPECT_EQ(listed(target), numbers_);
  EXPECT_EQ(source.size(), 0);
}

TEST_P(AxisValuesTest, StaysWhenAssignedToItself) {
  Values copy = values_;
  const Values& same = copy;
  copy = same;
  EXPECT_EQ(copy, values_);
}

TEST(AxisValues, DifferInAnyNumberAndInSize) {
  EXPECT_EQ((Values{1, 2}), (Values{1, 2}));
  EXPECT_NE((Values{1, 2}), (Values{1, 3}));
  EXPECT_NE((Values{1, 2}), (Values{1}));
  EXPECT_NE((Values{0, 0, 0, 0, 0}), (Values{0, 0, 0, 0}));
}

}  // namespace
}  // namespace perdure
