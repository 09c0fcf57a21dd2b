#pragma once
// Text. Orbax keeps it in _strings.json.
#include "perdure/checkpoint/document/leaf_kind.h"

namespace perdure::checkpoint {

struct TextKind {
  using Value = Text;
  static StoredForm stored_form(const Text& value);
  static void encode(DocumentWriter& out, std::uint8_t tag, const Text& value);
  static Text decode(DocumentReader& in, std::uint8_t tag_offset);
};

}  // namespace perdure::checkpoint
