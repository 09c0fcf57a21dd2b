#pragma once
// Numbers of the float types below 32 bits, one at a time: for fill values. Arrays are cast in base.
#include <cstdint>

#include "perdure/base/dtype.h"

namespace perdure::storage::zarr {

/// The bits of the element next to `number`; of two equally near the even one. Too large: infinity, else NaN, else the largest.
std::uint16_t small_float_bits(double number, DType dtype);

}  // namespace perdure::storage::zarr
