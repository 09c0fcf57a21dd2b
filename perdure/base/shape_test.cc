#include "perdure/base/shape.h"

#include <gtest/gtest.h>

#include "perdure/base/error.h"

namespace perdure {
namespace {

constexpr std::uint64_t kMax = ~0ull;

TEST(CheckedArithmetic, RefusesToOverflow) {
  EXPECT_EQ(checked_multiply(1ull << 32, (1ull << 32) - 1), 0xffffffff00000000u);
  EXPECT_THROW(checked_multiply(1ull << 32, 1ull << 32), Error);
  EXPECT_EQ(checked_add(kMax, 0), kMax);
  EXPECT_THROW(checked_add(kMax, 1), Error);
}

TEST(CheckedArithmetic, RoundsUp) {
  EXPECT_EQ(ceil_divide(kMax, 2), 1ull << 63);
  EXPECT_EQ(ceil_divide(0, 7), 0u);
  EXPECT_EQ(align_up(0, 64), 0u);
  EXPECT_EQ(align_up(1, 64), 64u);
  EXPECT_EQ(align_up(64, 64), 64u);
  EXPECT_THROW(align_up(kMax, 2), Error);
}

TEST(Shape, CountsElements) {
  EXPECT_EQ(Shape{}.element_count(), 1u);
  EXPECT_EQ((Shape{2, 3, 4}).element_count(), 24u);
  EXPECT_EQ((Shape{kMax, kMax, 0}).element_count(), 0u);
  EXPECT_THROW((Shape{kMax, 2}).element_count(), Error);
}

TEST(Shape, PrintsAsPythonPrintsATuple) {
  EXPECT_EQ(Shape{}.str(), "()");
  EXPECT_EQ(Shape{3}.str(), "(3,)");
  EXPECT_EQ((Shape{2, 3}).str(), "(2, 3)");
}

TEST(Box, FitsOnlyInsideTheShape) {
  EXPECT_TRUE((Box{{0, 1}, {2, 2}}).fits({2, 3}));
  EXPECT_TRUE((Box{{2}, {0}}).fits({2}));
  EXPECT_TRUE(Box::whole({}).fits({}));
  EXPECT_FALSE((Box{{3}, {0}}).fits({2}));
  EXPECT_FALSE((Box{{1}, {2}}).fits({2}));
  EXPECT_FALSE((Box{{1}, {kMax}}).fits({2}));
  EXPECT_FALSE((Box{{0}, {1}}).fits({1, 1}));
  EXPECT_FALSE((Box{{0, 0}, {1}}).fits({1}));
}

TEST(Box, PrintsBounds) {
  EXPECT_EQ((Box{{0, 3}, {2, 2}}).str(), "[0:2, 3:5]");
  EXPECT_EQ((Box{{kMax}, {2}}).str(), "[18446744073709551615:overflow]");
}

TEST(Box, IntersectsAxisByAxis) {
  EXPECT_EQ(intersect({{0, 2}, {4, 4}}, {{2, 0}, {4, 4}}), (Box{{2, 2}, {2, 2}}));
  EXPECT_TRUE(intersect({{0}, {2}}, {{2}, {2}}).empty());
  EXPECT_TRUE(intersect({{5}, {1}}, {{0}, {2}}).empty());
  EXPECT_FALSE(intersect(Box::whole({}), Box::whole({})).empty());
}

TEST(Box, ContainsWhatLiesInIt) {
  EXPECT_TRUE(contains({{1, 2}, {4, 4}}, {{1, 3}, {4, 3}}));
  EXPECT_FALSE(contains({{1, 2}, {4, 4}}, {{0, 3}, {4, 3}}));
  EXPECT_FALSE(contains({{1, 2}, {4, 4}}, {{1, 3}, {4, 4}}));
}

TEST(Box, LeadsAsFarAsItsElementsAreConsecutive) {
  EXPECT_EQ(leading_box({2, 3, 4}, 0, 24), Box::whole({2, 3, 4}));
  EXPECT_EQ(leading_box({2, 3, 4}, 0, 23), (Box{{0, 0, 0}, {1, 3, 4}}));
  EXPECT_EQ(leading_box({2, 3, 4}, 4, 23), (Box{{0, 1, 0}, {1, 2, 4}}));
  EXPECT_EQ(leading_box({2, 3, 4}, 13, 9), (Box{{1, 0, 1}, {1, 1, 3}}));
  EXPECT_EQ(leading_box({2, 3, 4}, 13, 2), (Box{{1, 0, 1}, {1, 1, 2}}));
  EXPECT_EQ(leading_box({}, 0, 5), Box::whole({}));
}

}  // namespace
}  // namespace perdure
