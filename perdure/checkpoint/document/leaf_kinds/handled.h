#pragma once
// Values that a handler of its own keeps: nothing of them is stored here but what the handler calls them.
#include <string>

#include "perdure/checkpoint/document/leaf_kind.h"

namespace perdure::checkpoint {

/// What a handler names the parts of a leaf after: its key path. A tree that is a leaf, or an empty key, has none.
inline std::string part_prefix(const std::string& leaf_name) { return leaf_name.empty() ? "__root__" : leaf_name; }

struct HandledKind {
  using Value = Handled;
  static StoredForm stored_form(const Handled& value);
  static void encode(DocumentWriter& out, std::uint8_t tag, const Handled& value);
  static Handled decode(DocumentReader& in, std::uint8_t tag_offset);
};

}  // namespace perdure::checkpoint
