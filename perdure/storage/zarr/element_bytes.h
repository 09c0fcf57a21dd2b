#pragma once
// Elements in memory and elements on disk. Types below a byte have their value in the low bits of a byte (a bool is 0 or 1): that is
// how ml_dtypes makes them and how Zarr stores them, but both ignore high bits, so that these may hold anything on the way in.
//
// Called by chunk_encoding (writing), element_reader (reading) and the parsers (fill values).
#include "perdure/base/array_view.h"

namespace perdure::storage::zarr {

/// True if to_stored_bytes would change nothing.
bool are_stored_bytes(ByteView elements, DType dtype);

/// In place. Clears the high bits; a bool that is not 0 becomes 1.
void to_stored_bytes(ByteSpan elements, DType dtype);
/// In place. Clears the high bits; throws kCorrupt for a bool that is neither 0 nor 1.
void from_stored_bytes(ByteSpan elements, DType dtype);

}  // namespace perdure::storage::zarr
