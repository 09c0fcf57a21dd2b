#include "perdure/checkpoint/document/leaf_kinds/text.h"

#include "perdure/base/error.h"
#include "perdure/base/utf8.h"

namespace perdure::checkpoint {

StoredForm TextKind::stored_form(const Text& value) { return {.value_type = value_types::kString, .text = value.utf8}; }

void TextKind::encode(DocumentWriter& out, std::uint8_t tag, const Text& value) {
  if (!is_utf8(value.utf8)) throw Error(ErrorKind::kInvalid, "a text is not UTF-8");
  out.u8(tag);
  out.text(value.utf8);
}

Text TextKind::decode(DocumentReader& in, std::uint8_t) {
  Text value{in.text()};
  if (!is_utf8(value.utf8)) fail_document("a text is not UTF-8");
  return value;
}

}  // namespace perdure::checkpoint
