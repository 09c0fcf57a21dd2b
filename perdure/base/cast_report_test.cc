// What casts report, for every float of the dtype table: a new row is tested as it is.
#include "perdure/base/cast_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace perdure {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

ArrayView view_of(const void* bytes, DType dtype, std::uint64_t count) {
  return ArrayView::contiguous(static_cast<const std::byte*>(bytes), dtype, {count});
}

/// As float64: what there is before and after, and the report.
struct Cast {
  double after = 0;
  CastReport report;
};

template <class T>
Cast cast_one(T value, DType from, DType to) {
  std::byte code[sizeof(double)] = {};
  Cast cast;
  cast.report = cast_array(view_of(&value, from, 1), ArraySpan::contiguous(code, to, {1}));
  cast_array(view_of(code, to, 1), ArraySpan::contiguous(reinterpret_cast<std::byte*>(&cast.after), DType::kFloat64, {1}));
  return cast;
}

Cast cast_one(double value, DType to) { return cast_one(value, DType::kFloat64, to); }

/// The floats that float64 can overflow.
std::vector<DType> narrow_floats() {
  std::vector<DType> found;
  for (const DTypeInfo& row : dtype_table()) {
    if (row.kind == DTypeKind::kFloat && row.dtype != DType::kFloat64) found.push_back(row.dtype);
  }
  return found;
}

double largest_of(DType dtype) {
  if (dtype == DType::kFloat32) return std::numeric_limits<float>::max();
  double largest = 0;
  for (std::uint32_t code = 0; code < 1u << info(dtype).bits; ++code) {
    std::byte memory[sizeof code];
    std::memcpy(memory, &code, sizeof code);
    double value = 0;
    cast_array(view_of(memory, dtype, 1), ArraySpan::contiguous(reinterpret_cast<std::byte*>(&value), DType::kFloat64, {1}));
    if (std::isfinite(value)) largest = std::max(largest, value);
  }
  return largest;
}

TEST(CastReport, TellsOverflowOfEveryFloat) {
  for (const DType dtype : narrow_floats()) {
    SCOPED_TRACE(name(dtype));
    const double largest = largest_of(dtype);
    EXPECT_FALSE(cast_one(largest, dtype).report.any());
    EXPECT_EQ(cast_one(2 * largest, dtype).report, (CastReport{.float_overflow = true}));
    const double integer = std::max(2 * largest, 2.0);
    if (integer < std::ldexp(1, 62)) {
      EXPECT_TRUE(cast_one(static_cast<std::int64_t>(integer), DType::kInt64, dtype).report.float_overflow);
    }
  }
}

TEST(CastReport, TellsInfinitiesAndNansThatAFloatHasNot) {
  for (const DType dtype : narrow_floats()) {
    SCOPED_TRACE(name(dtype));
    const Cast infinity = cast_one(kInfinity, dtype), nan = cast_one(std::nan(""), dtype);
    EXPECT_EQ(infinity.report.float_overflow, !std::isinf(infinity.after));
    EXPECT_EQ(nan.report.float_overflow, !std::isnan(nan.after));
  }
}

TEST(CastReport, TakesWhatRoundsToTheLargestNumberAsRounding) {
  for (const double rounded : {6.5, 7.0, -7.0}) EXPECT_FALSE(cast_one(rounded, DType::kFloat4E2m1fn).report.any());
  for (const double clamped : {7.01, -8.0, 1e300}) EXPECT_TRUE(cast_one(clamped, DType::kFloat4E2m1fn).report.float_overflow);
}

}  // namespace
}  // namespace perdure
