#pragma once
// Elements that are stored as they are: C order, no compression, at most a crc32c behind them.
#include "perdure/base/array_view.h"
#include "perdure/storage/zarr/byte_source.h"

namespace perdure::storage::zarr {

struct ElementLayout {
  DType dtype = DType::kUint8;
  bool big_endian = false;
  bool has_crc32c = false;
};

/// Bytes as stored become elements in memory, in place. Throws kCorrupt for a bool that is neither 0 nor 1.
void finish_elements(ByteSpan elements, const ElementLayout& layout);

/// Reads `box` of a chunk of `shape` into `target` (shape of the box, any strides). With `verify` and a crc32c the whole chunk is
/// read, in steps that stay in cache, and checked; else only the ranges of the box. Memory beyond the target stays bounded, except for a
/// target whose last axis has gaps, which is filled from a packed copy. Throws kCorrupt.
void read_stored_elements(const ByteSource& source, const ElementLayout& layout, const Shape& shape, const Box& box,
                          const ArraySpan& target, bool verify);

}  // namespace perdure::storage::zarr
