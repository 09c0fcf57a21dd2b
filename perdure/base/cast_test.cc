// The bits of every pair of dtypes are compared with astype in python/tests/test_cast.py; here: layouts, parts and reports.
#include "perdure/base/cast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

#include "perdure/base/minifloat.h"

namespace perdure {
namespace {

template <class T>
ArrayView view_of(const std::vector<T>& values, DType dtype) {
  return ArrayView::contiguous(reinterpret_cast<const std::byte*>(values.data()), dtype, {values.size()});
}

template <class To, class From>
std::vector<To> cast_to(DType to, const std::vector<From>& source, DType from, CastReport* report = nullptr) {
  std::vector<To> target(source.size());
  const CastReport result =
      cast_array(view_of(source, from), ArraySpan::contiguous(reinterpret_cast<std::byte*>(target.data()), to, {target.size()}));
  if (report != nullptr) *report = result;
  return target;
}

TEST(Minifloat, EveryNumberComesBack) {
  for (const DTypeInfo& row : dtype_table()) {
    if (row.kind != DTypeKind::kFloat || row.bits > 16) continue;
    SCOPED_TRACE(row.name);
    for (std::uint32_t code = 0; code < 1u << row.bits; ++code) {
      const std::uint16_t number = static_cast<std::uint16_t>(code);
      float value = 0;
      std::uint16_t again = 0;
      cast_array(ArrayView::contiguous(reinterpret_cast<const std::byte*>(&number), row.dtype, {}),
                 ArraySpan::contiguous(reinterpret_cast<std::byte*>(&value), DType::kFloat32, {}));
      cast_array(ArrayView::contiguous(reinterpret_cast<const std::byte*>(&value), DType::kFloat32, {}),
                 ArraySpan::contiguous(reinterpret_cast<std::byte*>(&again), row.dtype, {}));
      if (!std::isnan(value)) {
        ASSERT_EQ(again, code);
      }
    }
  }
}

TEST(Minifloat, RoundsADoubleOnceToFloat16) {
  const double above_tie = 1 + std::ldexp(1, -11) + std::ldexp(1, -40);  // as a float32: the tie, which rounds down
  EXPECT_EQ(encode_minifloat<kFloat16Format>(above_tie), 0x3c01u);
  EXPECT_EQ(encode_minifloat<kFloat16Format>(static_cast<float>(above_tie)), 0x3c00u);
}

TEST(CastArray, RoundsToNearestEven) {
  const std::vector<float> source{1.0f, 1.00390625f, 1.01171875f, -65504.0f, 1e-30f};
  EXPECT_EQ(cast_to<std::uint16_t>(DType::kBfloat16, source, DType::kFloat32),
            (std::vector<std::uint16_t>{0x3f80, 0x3f80, 0x3f82, 0xc780, 0x0da2}));
}

TEST(CastArray, WrapsSubByteIntegersIntoTheLowBits) {
  CastReport report;
  EXPECT_EQ(cast_to<std::uint8_t>(DType::kInt4, std::vector<std::int32_t>{-1, 7, -8, 9}, DType::kInt32, &report),
            (std::vector<std::uint8_t>{0x0f, 0x07, 0x08, 0x09}));
  EXPECT_TRUE(report.integer_overflow);
  EXPECT_EQ(cast_to<std::int16_t>(DType::kInt16, std::vector<std::uint8_t>{0x0f, 0xf7, 0x08}, DType::kInt4),
            (std::vector<std::int16_t>{-1, 7, -8}));
}

TEST(CastArray, KeepsOrDropsImaginaryParts) {
  using C64 = std::complex<float>;
  using C128 = std::complex<double>;
  const std::vector<C64> source{{1, 2}, {0, 3}, {0, 0}};
  CastReport report;
  EXPECT_EQ(cast_to<C128>(DType::kComplex128, source, DType::kComplex64, &report), (std::vector<C128>{{1, 2}, {0, 3}, {0, 0}}));
  EXPECT_FALSE(report.any());
  EXPECT_EQ(cast_to<std::int8_t>(DType::kInt8, source, DType::kComplex64, &report), (std::vector<std::int8_t>{1, 0, 0}));
  EXPECT_EQ(report, (CastReport{.changed_kind_and_value = true}));
  EXPECT_EQ(cast_to<std::uint8_t>(DType::kBool, source, DType::kComplex64), (std::vector<std::uint8_t>{1, 1, 0}));
  EXPECT_EQ(cast_to<C64>(DType::kComplex64, std::vector<std::int8_t>{-3}, DType::kInt8), (std::vector<C64>{{-3, 0}}));
}

TEST(CastArray, FollowsTheStridesOfBothSides) {
  std::vector<std::int16_t> source(2 * 3 * 4);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::int16_t>(i);
  const auto* first = reinterpret_cast<const std::byte*>(source.data());
  // [i, j, k] of the source is element 4 * 3 * i + 4 * (2 - j) + k; the target has k outermost.
  const ArrayView reversed{first + 16, DType::kInt16, {2, 3, 4}, {24, -8, 2}};
  std::vector<float> target(2 * 3 * 4);
  cast_array(reversed, {reinterpret_cast<std::byte*>(target.data()), DType::kFloat32, {2, 3, 4}, {12, 4, 24}});
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(target[k * 6 + i * 3 + j], static_cast<float>(12 * i + 4 * (2 - j) + k));
    }
  }
}

TEST(CastArray, ReportsTheOneElementOfAMillion) {
  std::vector<float> source(1 << 20, 1.0f);
  source[777777] = 1e30f;
  CastReport report;
  cast_to<std::uint16_t>(DType::kFloat16, source, DType::kFloat32, &report);
  EXPECT_EQ(report, (CastReport{.float_overflow = true}));
}

TEST(CastArray, TakesScalarsAndEmptyArrays) {
  const std::int8_t one = -5;
  double target = 0;
  cast_array(ArrayView::contiguous(reinterpret_cast<const std::byte*>(&one), DType::kInt8, {}),
             ArraySpan::contiguous(reinterpret_cast<std::byte*>(&target), DType::kFloat64, {}));
  EXPECT_EQ(target, -5.0);
  EXPECT_FALSE(
      cast_array(ArrayView::contiguous(nullptr, DType::kInt8, {3, 0}), ArraySpan::contiguous(nullptr, DType::kComplex64, {3, 0}))
          .any());
}

TEST(CastArray, CopiesEqualDTypesBitForBit) {
  const std::vector<std::uint32_t> source{0x7f800001, 0xffc12345, 0x80000000};
  EXPECT_EQ(cast_to<std::uint32_t>(DType::kFloat32, source, DType::kFloat32), source);
}

}  // namespace
}  // namespace perdure
