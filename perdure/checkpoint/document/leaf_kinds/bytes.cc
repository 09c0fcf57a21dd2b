#include "perdure/checkpoint/document/leaf_kinds/bytes.h"

namespace perdure::checkpoint {

StoredForm BytesKind::stored_form(const Blob& value) {
  return {.value_type = value_types::kNumpyArray, .array_dtype = DType::kUint8, .array_bytes = value.view()};
}

void BytesKind::encode(DocumentWriter& out, std::uint8_t tag, const Blob& value) {
  out.u8(tag);
  out.text(value.text());
}

Blob BytesKind::decode(DocumentReader& in, std::uint8_t) { return Blob::from(in.text()); }

}  // namespace perdure::checkpoint
