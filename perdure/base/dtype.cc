#include "perdure/base/dtype.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "perdure/base/error.h"

namespace perdure {
namespace {

using enum DType;
using Kind = DTypeKind;

constexpr DTypeInfo kDTypeTable[] = {
    // dtype, name, kind, itemsize, bits, .zarray, zarr.json, has_zarr_name
    {kBool, "bool", Kind::kBool, 1, 1, "|b1", "bool", true},
    {kInt2, "int2", Kind::kInt, 1, 2, "int2", "int2", true},
    {kInt4, "int4", Kind::kInt, 1, 4, "int4", "int4", true},
    {kInt8, "int8", Kind::kInt, 1, 8, "|i1", "int8", true},
    {kInt16, "int16", Kind::kInt, 2, 16, "<i2", "int16", true},
    {kInt32, "int32", Kind::kInt, 4, 32, "<i4", "int32", true},
    {kInt64, "int64", Kind::kInt, 8, 64, "<i8", "int64", true},
    {kUint2, "uint2", Kind::kUint, 1, 2, "|u1", "uint8", false},
    {kUint4, "uint4", Kind::kUint, 1, 4, "|u1", "uint8", false},
    {kUint8, "uint8", Kind::kUint, 1, 8, "|u1", "uint8", true},
    {kUint16, "uint16", Kind::kUint, 2, 16, "<u2", "uint16", true},
    {kUint32, "uint32", Kind::kUint, 4, 32, "<u4", "uint32", true},
    {kUint64, "uint64", Kind::kUint, 8, 64, "<u8", "uint64", true},
    {kFloat4E2m1fn, "float4_e2m1fn", Kind::kFloat, 1, 4, "float4_e2m1fn", "float4_e2m1fn", true},
    {kFloat8E3m4, "float8_e3m4", Kind::kFloat, 1, 8, "float8_e3m4", "float8_e3m4", true},
    {kFloat8E4m3, "float8_e4m3", Kind::kFloat, 1, 8, "|u1", "uint8", false},
    {kFloat8E4m3b11fnuz, "float8_e4m3b11fnuz", Kind::kFloat, 1, 8, "float8_e4m3b11fnuz", "float8_e4m3b11fnuz", true},
    {kFloat8E4m3fn, "float8_e4m3fn", Kind::kFloat, 1, 8, "float8_e4m3fn", "float8_e4m3fn", true},
    {kFloat8E4m3fnuz, "float8_e4m3fnuz", Kind::kFloat, 1, 8, "float8_e4m3fnuz", "float8_e4m3fnuz", true},
    {kFloat8E5m2, "float8_e5m2", Kind::kFloat, 1, 8, "float8_e5m2", "float8_e5m2", true},
    {kFloat8E5m2fnuz, "float8_e5m2fnuz", Kind::kFloat, 1, 8, "float8_e5m2fnuz", "float8_e5m2fnuz", true},
    {kFloat8E8m0fnu, "float8_e8m0fnu", Kind::kFloat, 1, 8, "float8_e8m0fnu", "float8_e8m0fnu", true},
    {kBfloat16, "bfloat16", Kind::kFloat, 2, 16, "bfloat16", "bfloat16", true},
    {kFloat16, "float16", Kind::kFloat, 2, 16, "<f2", "float16", true},
    {kFloat32, "float32", Kind::kFloat, 4, 32, "<f4", "float32", true},
    {kFloat64, "float64", Kind::kFloat, 8, 64, "<f8", "float64", true},
    {kComplex64, "complex64", Kind::kComplex, 8, 64, "<c8", "complex64", true},
    {kComplex128, "complex128", Kind::kComplex, 16, 128, "<c16", "complex128", true},
};

// info() indexes the table by the enumerator.
constexpr bool in_order_of_enumerators() {
  for (std::size_t i = 0; i < std::size(kDTypeTable); ++i) {
    if (static_cast<std::size_t>(kDTypeTable[i].dtype) != i) return false;
  }
  return std::size(kDTypeTable) == static_cast<std::size_t>(kComplex128) + 1;
}
static_assert(in_order_of_enumerators());

// storage/zarr/element_bytes.cc clears what is above the low bits of a byte.
static_assert(std::ranges::all_of(kDTypeTable, [](const DTypeInfo& row) {
  return row.bits == 8 * row.itemsize || (row.itemsize == 1 && row.bits < 8);
}));

// cast.cc has a row for every dtype before them.
static_assert(std::ranges::all_of(kDTypeTable, [](const DTypeInfo& row) {
  return (row.kind == Kind::kComplex) == (row.dtype >= kComplex64);
}));

}  // namespace

std::span<const DTypeInfo> dtype_table() { return kDTypeTable; }

const DTypeInfo& info(DType dtype) { return kDTypeTable[static_cast<std::size_t>(dtype)]; }

std::optional<DType> find_dtype(std::string_view name) {
  const auto* row = std::ranges::find(kDTypeTable, name, &DTypeInfo::name);
  if (row == std::end(kDTypeTable)) return std::nullopt;
  return row->dtype;
}

DType dtype_from_name(std::string_view name) {
  if (const auto dtype = find_dtype(name)) return *dtype;
  throw Error(ErrorKind::kInvalid, "unknown dtype '" + std::string(name) + "'");
}

}  // namespace perdure
