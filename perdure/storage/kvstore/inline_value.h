#pragma once
// What the stores share about the ranges of values.
#include <cstdint>

#include "perdure/storage/kvstore.h"

namespace perdure::storage {

ValueLocation inline_location(Blob value);
/// Throws kCorrupt unless the range [offset, offset + size) is in the value.
void check_value_range(const ValueLocation& location, std::uint64_t offset, std::uint64_t size_bytes);
/// KvStore::read_range of a value that its location holds.
void read_inline_range(const ValueLocation& location, std::uint64_t offset, ByteSpan target);

}  // namespace perdure::storage
