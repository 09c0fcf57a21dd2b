#include "perdure/storage/zarr/element_bytes.h"

#include <algorithm>
#include <string>

#include "perdure/base/error.h"

namespace perdure::storage::zarr {
namespace {

bool is_sub_byte(DType dtype) { return info(dtype).bits < 8 && dtype != DType::kBool; }

void keep_low_bits(ByteSpan elements, int bits) {
  const auto mask = static_cast<std::byte>((1 << bits) - 1);
  for (std::byte& element : elements) element &= mask;
}

void sign_extend(ByteSpan elements, int bits) {
  const int unused = 8 - bits;
  for (std::byte& element : elements) {
    const auto shifted = static_cast<std::int8_t>(std::to_integer<unsigned>(element) << unused);
    element = static_cast<std::byte>(shifted >> unused);
  }
}

void check_bools(ByteView elements) {
  if (are_bools(elements)) return;
  const auto bad = std::ranges::find_if(elements, [](std::byte element) { return std::to_integer<unsigned>(element) > 1; });
  throw Error(ErrorKind::kCorrupt, "expected a bool of 0 or 1, found " + std::to_string(std::to_integer<unsigned>(*bad)));
}

}  // namespace

bool stored_as_in_memory(DType dtype) { return !(is_sub_byte(dtype) && info(dtype).kind == DTypeKind::kInt) && dtype != DType::kBool; }

bool are_bools(ByteView elements) {
  std::byte all{0};  // without a branch inside, so that it runs at the speed of memory
  for (const std::byte element : elements) all |= element;
  return std::to_integer<unsigned>(all) <= 1;
}

void to_stored_bytes(ByteSpan elements, DType dtype) {
  if (dtype == DType::kBool) std::ranges::transform(elements, elements.begin(), [](std::byte b) { return b == std::byte{0} ? b : std::byte{1}; });
  if (is_sub_byte(dtype)) keep_low_bits(elements, info(dtype).bits);
}

void from_stored_bytes(ByteSpan elements, DType dtype) {
  if (dtype == DType::kBool) return check_bools(elements);
  if (!is_sub_byte(dtype)) return;
  if (info(dtype).kind == DTypeKind::kInt) return sign_extend(elements, info(dtype).bits);
  keep_low_bits(elements, info(dtype).bits);
}

}  // namespace perdure::storage::zarr
