#include "perdure/checkpoint/document/leaf_handlers/handled.h"

namespace perdure::checkpoint {

StoredForm HandledHandler::stored_form(const Handled& value) { return {.value_type = value.typestr}; }

void HandledHandler::encode(DocumentWriter& out, std::uint8_t tag, const Handled& value) {
  out.u8(tag);
  out.text(value.typestr);
}

Handled HandledHandler::decode(DocumentReader& in, std::uint8_t) { return {in.text()}; }

}  // namespace perdure::checkpoint
