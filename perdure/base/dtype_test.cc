#include "perdure/base/dtype.h"

#include <gtest/gtest.h>

#include <set>

#include "perdure/base/error.h"

namespace perdure {
namespace {

struct Row {
  std::string_view name;
  int itemsize;
  int bits;
  std::string_view zarr2;
  std::string_view zarr3;
  bool has_zarr_name;
};

constexpr Row kRows[] = {
    {"bool", 1, 1, "|b1", "bool", true},
    {"int2", 1, 2, "int2", "int2", true},
    {"int4", 1, 4, "int4", "int4", true},
    {"int8", 1, 8, "|i1", "int8", true},
    {"int16", 2, 16, "<i2", "int16", true},
    {"int32", 4, 32, "<i4", "int32", true},
    {"int64", 8, 64, "<i8", "int64", true},
    {"uint2", 1, 2, "|u1", "uint8", false},
    {"uint4", 1, 4, "|u1", "uint8", false},
    {"uint8", 1, 8, "|u1", "uint8", true},
    {"uint16", 2, 16, "<u2", "uint16", true},
    {"uint32", 4, 32, "<u4", "uint32", true},
    {"uint64", 8, 64, "<u8", "uint64", true},
    {"float4_e2m1fn", 1, 4, "float4_e2m1fn", "float4_e2m1fn", true},
    {"float8_e3m4", 1, 8, "float8_e3m4", "float8_e3m4", true},
    {"float8_e4m3", 1, 8, "|u1", "uint8", false},
    {"float8_e4m3b11fnuz", 1, 8, "float8_e4m3b11fnuz", "float8_e4m3b11fnuz", true},
    {"float8_e4m3fn", 1, 8, "float8_e4m3fn", "float8_e4m3fn", true},
    {"float8_e4m3fnuz", 1, 8, "float8_e4m3fnuz", "float8_e4m3fnuz", true},
    {"float8_e5m2", 1, 8, "float8_e5m2", "float8_e5m2", true},
    {"float8_e5m2fnuz", 1, 8, "float8_e5m2fnuz", "float8_e5m2fnuz", true},
    {"float8_e8m0fnu", 1, 8, "float8_e8m0fnu", "float8_e8m0fnu", true},
    {"bfloat16", 2, 16, "bfloat16", "bfloat16", true},
    {"float16", 2, 16, "<f2", "float16", true},
    {"float32", 4, 32, "<f4", "float32", true},
    {"float64", 8, 64, "<f8", "float64", true},
    {"complex64", 8, 64, "<c8", "complex64", true},
    {"complex128", 16, 128, "<c16", "complex128", true},
};

TEST(DType, RowsAreThoseOfTheFormats) {
  ASSERT_EQ(dtype_table().size(), std::size(kRows));
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    const DTypeInfo& actual = info(dtype_from_name(row.name));
    EXPECT_EQ(actual.itemsize, row.itemsize);
    EXPECT_EQ(actual.bits, row.bits);
    EXPECT_EQ(actual.zarr2, row.zarr2);
    EXPECT_EQ(actual.zarr3, row.zarr3);
    EXPECT_EQ(actual.has_zarr_name, row.has_zarr_name);
  }
}

TEST(DType, ZarrNamesAreUnique) {
  std::set<std::string_view> zarr2, zarr3;
  for (const DTypeInfo& row : dtype_table()) {
    if (!row.has_zarr_name) continue;
    EXPECT_TRUE(zarr2.insert(row.zarr2).second) << row.name;
    EXPECT_TRUE(zarr3.insert(row.zarr3).second) << row.name;
  }
}

TEST(DType, BoolAndTypesBelowAByteHaveUnusedBits) {
  std::set<std::string_view> names;
  for (const DTypeInfo& row : dtype_table()) {
    if (has_unused_bits(row.dtype)) names.insert(row.name);
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"bool", "int2", "int4", "uint2", "uint4", "float4_e2m1fn"}));
}

TEST(DType, UnknownNamesAreAbsentOrNamed) {
  EXPECT_EQ(find_dtype("float33"), std::nullopt);
  try {
    dtype_from_name("float33");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInvalid);
    EXPECT_EQ(error.message(), "unknown dtype 'float33'");
  }
}

}  // namespace
}  // namespace perdure
