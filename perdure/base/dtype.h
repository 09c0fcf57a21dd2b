#pragma once
// Element types: one row each in kDTypeTable (dtype.cc). Sources: shared names of NumPy, ml_dtypes and Zarr.
//
// Sub-byte types (int4, float4_e2m1fn, ...) hold one element in one byte, value in the low bits.
//
// To add a dtype: docs/design/extending.md.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace perdure {

// clang-format off
enum class DType : std::uint8_t {  // a line for each family
  kBool,
  kInt2, kInt4, kInt8, kInt16, kInt32, kInt64,
  kUint2, kUint4, kUint8, kUint16, kUint32, kUint64,
  kFloat4E2m1fn,
  kFloat8E3m4, kFloat8E4m3, kFloat8E4m3b11fnuz, kFloat8E4m3fn, kFloat8E4m3fnuz, kFloat8E5m2, kFloat8E5m2fnuz, kFloat8E8m0fnu,
  kBfloat16, kFloat16, kFloat32, kFloat64,
  kComplex64, kComplex128,
};
// clang-format on

enum class DTypeKind : std::uint8_t { kBool, kInt, kUint, kFloat, kComplex };

struct DTypeInfo {
  DType dtype;
  std::string_view name;  // as numpy / ml_dtypes print it: "float32", "bfloat16", "int4"
  DTypeKind kind;
  std::uint8_t itemsize;   // bytes of one element in memory and on disk
  std::uint8_t bits;       // significant bits of an element (4 for int4)
  std::string_view zarr2;  // little-endian typestr in .zarray: "<f4"; uint4 is stored as "|u1"
  std::string_view zarr3;  // data_type in zarr.json; uint4 is stored as "uint8"
  /// False: Zarr knows no such type; it is stored as the unsigned integers of zarr2 and zarr3, which foreign readers see, under a
  /// private note that names it.
  bool has_zarr_name;
};

std::span<const DTypeInfo> dtype_table();
const DTypeInfo& info(DType dtype);
inline std::string_view name(DType dtype) { return info(dtype).name; }
inline std::size_t itemsize(DType dtype) { return info(dtype).itemsize; }
/// Of bool and the sub-byte types: what is in the other bits is neither written nor trusted.
inline bool has_unused_bits(DType dtype) { return info(dtype).bits != 8 * info(dtype).itemsize; }
std::optional<DType> find_dtype(std::string_view name);
/// find_dtype, or kInvalid naming it.
DType dtype_from_name(std::string_view name);

}  // namespace perdure
