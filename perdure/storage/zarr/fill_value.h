#pragma once
// The value of elements that are not stored.
#include <cstddef>
#include <vector>

#include "perdure/base/bytes.h"
#include "perdure/base/dtype.h"
#include "perdure/base/json.h"

namespace perdure::storage::zarr {

/// One element in machine order: null (zeros), a number, a bool, "NaN", "Infinity", "-Infinity", the bits as a hex string
/// ("0x7fc00000"), or a pair of these for complex numbers. Throws kCorrupt when it does not fit the dtype.
std::vector<std::byte> parse_fill_value(const json::Value& value, DType dtype);

}  // namespace perdure::storage::zarr
