#include "perdure/storage/zarr/element_bytes.h"

#include <algorithm>
#include <string>

#include "perdure/base/error.h"

namespace perdure::storage::zarr {
namespace {

void keep_low_bits(ByteSpan elements, int bits) {
  const auto mask = static_cast<std::byte>((1 << bits) - 1);
  for (std::byte& element : elements) element &= mask;
}

void check_bools(ByteView elements) {
  if (are_stored_bytes(elements, DType::kBool)) return;
  const auto bad = std::ranges::find_if(elements, [](std::byte element) { return std::to_integer<unsigned>(element) > 1; });
  throw Error(ErrorKind::kCorrupt, "expected a bool of 0 or 1, found " + std::to_string(std::to_integer<unsigned>(*bad)));
}

}  // namespace

bool are_stored_bytes(ByteView elements, DType dtype) {
  if (!has_unused_bits(dtype)) return true;
  std::byte all{0};  // without a branch inside, so that it runs at the speed of memory
  for (const std::byte element : elements) all |= element;
  return std::to_integer<unsigned>(all) >> info(dtype).bits == 0;
}

void to_stored_bytes(ByteSpan elements, DType dtype) {
  if (dtype == DType::kBool) {
    for (std::byte& element : elements) element = static_cast<std::byte>(element != std::byte{0});
  } else if (has_unused_bits(dtype)) {
    keep_low_bits(elements, info(dtype).bits);
  }
}

void from_stored_bytes(ByteSpan elements, DType dtype) {
  if (dtype == DType::kBool) return check_bools(elements);
  if (has_unused_bits(dtype)) keep_low_bits(elements, info(dtype).bits);
}

}  // namespace perdure::storage::zarr
