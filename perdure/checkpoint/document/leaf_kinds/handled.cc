#include "perdure/checkpoint/document/leaf_kinds/handled.h"

namespace perdure::checkpoint {

StoredForm HandledKind::stored_form(const Handled& value) { return {.value_type = value.typestr}; }

void HandledKind::encode(DocumentWriter& out, std::uint8_t tag, const Handled& value) {
  out.u8(tag);
  out.text(value.typestr);
}

Handled HandledKind::decode(DocumentReader& in, std::uint8_t) { return {in.text()}; }

}  // namespace perdure::checkpoint
