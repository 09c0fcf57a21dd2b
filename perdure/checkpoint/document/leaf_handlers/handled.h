#pragma once
// Values that a handler of its own keeps: nothing of them is stored here but what the handler calls them.
#include "perdure/checkpoint/document/leaf_handler.h"

namespace perdure::checkpoint {

struct HandledHandler {
  using Value = Handled;
  static StoredForm stored_form(const Handled& value);
  static void encode(DocumentWriter& out, std::uint8_t tag, const Handled& value);
  static Handled decode(DocumentReader& in, std::uint8_t tag_offset);
};

}  // namespace perdure::checkpoint
