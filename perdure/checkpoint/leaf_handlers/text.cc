#include "perdure/checkpoint/leaf_handlers/text.h"

namespace perdure::checkpoint {

StoredForm TextHandler::stored_form(const Text& value) { return {.value_type = value_types::kString, .text = value.utf8}; }

void TextHandler::encode(DocumentWriter& out, std::uint8_t tag, const Text& value) {
  out.u8(tag);
  out.text(value.utf8);
}

Text TextHandler::decode(DocumentReader& in, std::uint8_t) { return {in.text()}; }

}  // namespace perdure::checkpoint
