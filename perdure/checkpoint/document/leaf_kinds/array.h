#pragma once
// Arrays: their elements are in the item's store; the document says where, what they were, and to which leaf they are tied.
#include "perdure/checkpoint/document/leaf_kind.h"

namespace perdure::checkpoint {

struct ArrayKind {
  using Value = StoredArrayRef;
  /// The value type only.
  static StoredForm stored_form(const StoredArrayRef& array);
  static void encode(DocumentWriter& out, std::uint8_t tag, const StoredArrayRef& array);
  /// Whoever has the other leaves checks `tied_to`.
  static StoredArrayRef decode(DocumentReader& in, std::uint8_t tag_offset);
};

}  // namespace perdure::checkpoint
