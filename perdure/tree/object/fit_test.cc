#include "perdure/tree/object/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "perdure/base/error.h"
#include "perdure/tree/value.h"
#include "tests/support/failures.h"

namespace perdure::tree {
namespace {

using test::kind_of_failure;

Leaf big(const char* digits) { return Scalar(BigInt{digits}); }
Leaf plain(Scalar scalar) { return scalar; }
Leaf array_of(Shape shape, std::vector<std::int32_t> elements) {
  return Value::array(std::move(shape), std::move(elements)).as_leaf();
}

TEST(FitInteger, TakesTheBoundsAndNothingBeyond) {
  bool lossy = false;
  EXPECT_EQ(fit_signed(plain(std::int64_t{127}), -128, 127, lossy), 127);
  EXPECT_EQ(fit_unsigned(big("18446744073709551615"), std::numeric_limits<std::uint64_t>::max(), lossy), ~std::uint64_t{0});
  EXPECT_FALSE(lossy);
  for (const Leaf& leaf :
       {plain(std::int64_t{128}), plain(std::int64_t{-129}), big("18446744073709551616"), big("-9223372036854775809")}) {
    EXPECT_EQ(kind_of_failure([&] { fit_signed(leaf, -128, 127, lossy); }), ErrorKind::kMismatch);
  }
  for (const Leaf& leaf : {plain(std::int64_t{-1}), big("18446744073709551616"), plain(1e300)}) {
    EXPECT_EQ(kind_of_failure([&] { fit_unsigned(leaf, ~std::uint64_t{0}, lossy); }), ErrorKind::kMismatch);
  }
}

TEST(FitScalar, SaysWhenTheNumberIsAnotherOne) {
  bool lossy = false;
  EXPECT_EQ(fit_signed(array_of({}, {5}), 0, 9, lossy), 5);
  EXPECT_FALSE(lossy);
  EXPECT_EQ(fit_signed(plain(2.5), 0, 9, lossy), 2);
  EXPECT_TRUE(lossy);
  EXPECT_EQ(kind_of_failure([&] { fit_scalar(array_of({1}, {5}), ScalarKind::kInt, lossy); }), ErrorKind::kMismatch);
  EXPECT_EQ(kind_of_failure([&] { fit_scalar(plain(Text{"5"}), ScalarKind::kInt, lossy); }), ErrorKind::kMismatch);
}

TEST(FitScalar, RemembersThatAnEarlierNumberWasAnotherOne) {
  bool lossy = true;
  EXPECT_EQ(fit_signed(plain(std::int64_t{5}), 0, 9, lossy), 5);
  EXPECT_TRUE(lossy);
}

TEST(FitInteger, RefusesDigitsThatAreNoNumber) {
  bool lossy = false;
  for (const char* digits : {"5x", "5.5", "", "0x5", " 5"}) {
    EXPECT_EQ(kind_of_failure([&] { fit_unsigned(big(digits), 9, lossy); }), ErrorKind::kMismatch) << digits;
  }
}

TEST(FitsAsItIs, AsksForKindDtypeAndRank) {
  const LeafTemplate wanted = template_of(array_of({3}, {0, 0, 0}));
  EXPECT_TRUE(fits_as_it_is(wanted, array_of({2}, {1, 2})));
  EXPECT_FALSE(fits_as_it_is(wanted, array_of({2, 1}, {1, 2})));
  EXPECT_FALSE(fits_as_it_is(wanted, Value::array<float>({2}, {1, 2}).as_leaf()));
  EXPECT_FALSE(fits_as_it_is(wanted, plain(std::int64_t{1})));
}

TEST(FitArray, CastsAndGathersPieces) {
  const std::vector<std::int32_t> left = {1, 2}, right = {3};
  ArrayLeaf leaf;
  leaf.dtype = DType::kInt32;
  leaf.shape = Shape{3};
  for (const auto* piece : {&left, &right}) {
    const Shape extent{piece->size()};
    leaf.pieces.push_back({Box{Shape{leaf.pieces.empty() ? 0u : 2u}, extent},
                           ArrayView::contiguous(reinterpret_cast<const std::byte*>(piece->data()), DType::kInt32, extent)});
  }
  const FittedArray fitted = fit_array(leaf, DType::kInt64);
  const auto* elements = reinterpret_cast<const std::int64_t*>(fitted.view.data);
  EXPECT_EQ(std::vector(elements, elements + 3), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_FALSE(fitted.lossy);
  EXPECT_TRUE(fit_array(array_of({1}, {300}), DType::kInt8).lossy);
  EXPECT_TRUE(is_same(leaf, copy_of(leaf)));
  EXPECT_TRUE(copy_of(leaf).immutable);
}

TEST(FitArray, RefusesWhatIsNone) {
  EXPECT_EQ(kind_of_failure([] { fit_array(plain(Text{"x"}), DType::kInt8); }), ErrorKind::kMismatch);
  EXPECT_EQ(kind_of_failure([] { fit_array(Value::abstract({2}, DType::kInt8).as_leaf(), DType::kInt8); }), ErrorKind::kMismatch);
}

TEST(IsSame, ComparesBitsAndTypes) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(is_same(plain(nan), plain(nan)));
  EXPECT_FALSE(is_same(plain(0.0), plain(-0.0)));
  EXPECT_FALSE(is_same(plain(true), plain(std::int64_t{1})));
  EXPECT_FALSE(is_same(plain(Text{"1"}), plain(Blob::from(std::string("1")))));
  EXPECT_TRUE(is_same(plain(None{}), plain(None{})));
  EXPECT_FALSE(is_same(big("99999999999999999999"), big("99999999999999999998")));
  EXPECT_TRUE(is_same(array_of({2}, {1, 2}), array_of({2}, {1, 2})));
  EXPECT_FALSE(is_same(array_of({2}, {1, 2}), array_of({2}, {1, 3})));
  EXPECT_FALSE(is_same(array_of({2}, {1, 2}), array_of({2, 1}, {1, 2})));
  EXPECT_FALSE(is_same(array_of({2}, {0, 0}), Value::array<float>({2}, {0, 0}).as_leaf()));
  EXPECT_FALSE(is_same(plain(Text{"a"}), plain(Text{"b"})));
  EXPECT_FALSE(is_same(array_of({}, {1}), plain(std::int64_t{1})));
}

}  // namespace
}  // namespace perdure::tree
