#include "perdure/checkpoint/document/leaf_kinds/array.h"

#include "perdure/base/origin.h"

namespace perdure::checkpoint {

StoredForm ArrayKind::stored_form(const StoredArrayRef& array) {
  return {.value_type = is_jax_origin(array.origin) ? value_types::kJaxArray : value_types::kNumpyArray};
}

void ArrayKind::encode(DocumentWriter& out, std::uint8_t tag, const StoredArrayRef& array) {
  out.u8(tag);
  out.text(array.name);
  out.origin(array.origin);
  out.varint(array.tied_to ? *array.tied_to + std::uint64_t{1} : 0);
  out.varint(array.chunk_crc32c.size());
  for (const std::uint32_t crc : array.chunk_crc32c) out.u32(crc);
}

StoredArrayRef ArrayKind::decode(DocumentReader& in, std::uint8_t) {
  StoredArrayRef array;
  array.name = in.text();
  array.origin = in.origin();
  if (const std::uint32_t tied = in.index(UINT32_MAX, "tied leaf"); tied != 0) array.tied_to = tied - 1;
  array.chunk_crc32c.resize(in.count());
  for (std::uint32_t& crc : array.chunk_crc32c) crc = in.u32();
  return array;
}

}  // namespace perdure::checkpoint
