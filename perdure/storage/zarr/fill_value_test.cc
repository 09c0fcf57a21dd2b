#include "perdure/storage/zarr/fill_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"

namespace perdure::storage::zarr {
namespace {

using enum DType;

/// The element as hex, most significant byte first (each half of a complex number by itself).
std::string fill(const std::string& text, DType dtype) {
  const std::vector<std::byte> element = parse_fill_value(json::parse(text), dtype);
  EXPECT_EQ(element.size(), itemsize(dtype));
  const std::size_t part = info(dtype).kind == DTypeKind::kComplex ? element.size() / 2 : element.size();
  std::string hex;
  for (std::size_t start = 0; start < element.size(); start += part) {
    for (std::size_t i = part; i-- > 0;) {
      char digits[3];
      std::snprintf(digits, sizeof digits, "%02x", std::to_integer<unsigned>(element[start + i]));
      hex += digits;
    }
  }
  return hex;
}

void expect_refused(const std::string& text, DType dtype) {
  try {
    ADD_FAILURE() << "accepted " << text << " as " << fill(text, dtype);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
  }
}

TEST(FillValue, NullIsZeroForEveryDType) {
  for (const DTypeInfo& row : dtype_table()) EXPECT_EQ(fill("null", row.dtype), std::string(2u * row.itemsize, '0'));
}

TEST(FillValue, ReadsIntegersToTheirLimits) {
  EXPECT_EQ(fill("-128", kInt8), "80");
  EXPECT_EQ(fill("-9223372036854775808", kInt64), "8000000000000000");
  EXPECT_EQ(fill("18446744073709551615", kUint64), "ffffffffffffffff");
  EXPECT_EQ(fill("9007199254740993", kInt64), "0020000000000001");
  EXPECT_EQ(fill("-8", kInt4), "f8");
  EXPECT_EQ(fill("1.0", kInt32), "00000001");
}

TEST(FillValue, RefusesIntegersThatDoNotFit) {
  expect_refused("128", kInt8);
  expect_refused("-129", kInt8);
  expect_refused("8", kInt4);
  expect_refused("256", kUint8);
  expect_refused("-1", kUint8);
  expect_refused("16", kUint4);
  expect_refused("9223372036854775808", kInt64);
  expect_refused("18446744073709551616", kUint64);
  expect_refused("1.5", kInt32);
  expect_refused("NaN", kInt32);
  expect_refused("\"0x01\"", kInt32);
}

TEST(FillValue, ReadsFloatsInAllForms) {
  EXPECT_EQ(fill("3.5", kFloat32), "40600000");
  EXPECT_EQ(fill("\"NaN\"", kFloat32), "7fc00000");
  EXPECT_EQ(fill("\"Infinity\"", kFloat64), "7ff0000000000000");
  EXPECT_EQ(fill("\"-Infinity\"", kFloat64), "fff0000000000000");
  EXPECT_EQ(fill("NaN", kFloat64), "7ff8000000000000");
  EXPECT_EQ(fill("\"0x7fc00001\"", kFloat32), "7fc00001");
  EXPECT_EQ(fill("\"0x7fc1\"", kBfloat16), "7fc1");
  EXPECT_EQ(fill("-0.0", kFloat32), "80000000");
  expect_refused("\"nan\"", kFloat32);
  expect_refused("\"0x\"", kFloat32);
  expect_refused("\"0x7fg\"", kFloat32);
  expect_refused("\"0x17fc00001\"", kFloat32);
  expect_refused("true", kFloat32);
}

TEST(FillValue, ReadsComplexPairs) {
  EXPECT_EQ(fill("[1.0, \"NaN\"]", kComplex64), "3f8000007fc00000");
  EXPECT_EQ(fill("[\"0x7fc00001\", 0]", kComplex64), "7fc0000100000000");
  EXPECT_EQ(fill("0", kComplex128), std::string(32, '0'));
  expect_refused("[1.0]", kComplex64);
  expect_refused("[1.0, 2.0, 3.0]", kComplex64);
}

TEST(FillValue, ReadsBools) {
  EXPECT_EQ(fill("true", kBool), "01");
  EXPECT_EQ(fill("false", kBool), "00");
  EXPECT_EQ(fill("1", kBool), "01");
  expect_refused("2", kBool);
  expect_refused("\"true\"", kBool);
}

TEST(FillValue, RoundsToSmallFloats) {
  EXPECT_EQ(fill("1.0", kBfloat16), "3f80");
  EXPECT_EQ(fill("1.00390625", kBfloat16), "3f80");  // half way: to even
  EXPECT_EQ(fill("1.01171875", kBfloat16), "3f82");
  EXPECT_EQ(fill("65504", kFloat16), "7bff");
  EXPECT_EQ(fill("65520", kFloat16), "7c00");
  EXPECT_EQ(fill("\"NaN\"", kFloat16), "7e00");
  EXPECT_EQ(fill("-5.9604644775390625e-08", kFloat16), "8001");
  EXPECT_EQ(fill("448", kFloat8E4m3fn), "7e");
  EXPECT_EQ(fill("1000", kFloat8E4m3fn), "7f");
  EXPECT_EQ(fill("-1", kFloat8E5m2), "bc");
  EXPECT_EQ(fill("\"-Infinity\"", kFloat8E5m2), "fc");
  EXPECT_EQ(fill("\"NaN\"", kFloat8E4m3fnuz), "80");
  EXPECT_EQ(fill("-0.0", kFloat8E4m3fnuz), "00");
  EXPECT_EQ(fill("1.0", kFloat8E4m3b11fnuz), "58");
  EXPECT_EQ(fill("2.0", kFloat8E8m0fnu), "80");
  EXPECT_EQ(fill("\"NaN\"", kFloat8E8m0fnu), "ff");
  EXPECT_EQ(fill("-6", kFloat4E2m1fn), "0f");
  EXPECT_EQ(fill("1.0", kFloat8E3m4), "30");
}

}  // namespace
}  // namespace perdure::storage::zarr
