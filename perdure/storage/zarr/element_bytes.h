#pragma once
// Elements in memory and elements on disk, where they differ: int2 and int4 are sign-extended in a byte of memory and keep their
// low bits only on disk; of uint2, uint4 and float4 the high bits mean nothing; a bool is 0 or 1.
//
// Called by chunk_encoding (writing), chunk_reader (reading) and the parsers (fill values).
#include "perdure/base/array_view.h"

namespace perdure::storage::zarr {

/// True if to_stored_bytes does nothing for elements as NumPy and ml_dtypes keep them.
bool stored_as_in_memory(DType dtype);

/// True if every byte is 0 or 1.
bool are_bools(ByteView elements);

/// In place. A bool that is not 0 becomes 1.
void to_stored_bytes(ByteSpan elements, DType dtype);
/// In place. Throws kCorrupt for a bool that is neither 0 nor 1.
void from_stored_bytes(ByteSpan elements, DType dtype);

}  // namespace perdure::storage::zarr
