#include "perdure/storage/kvstore/inline_value.h"

#include <algorithm>

#include "perdure/base/error.h"

namespace perdure::storage {

ValueLocation inline_location(Blob value) {
  const std::uint64_t size = value.size();
  return {"", 0, size, std::move(value)};
}

void check_value_range(const ValueLocation& location, std::uint64_t offset, std::uint64_t size_bytes) {
  if (offset <= location.size_bytes && size_bytes <= location.size_bytes - offset) return;
  throw Error(ErrorKind::kCorrupt, "the value has " + std::to_string(location.size_bytes) + " bytes, wanted " +
                                       std::to_string(size_bytes) + " from " + std::to_string(offset) + " on");
}

void read_inline_range(const ValueLocation& location, std::uint64_t offset, ByteSpan target) {
  check_value_range(location, offset, target.size());
  check_value_range(inline_location(location.inline_value), offset, target.size());
  std::copy_n(location.inline_value.data() + offset, target.size(), target.data());
}

}  // namespace perdure::storage
