#pragma once
// Bytes, for which Orbax has no word: it sees an array of uint8.
#include "perdure/checkpoint/document/leaf_kind.h"

namespace perdure::checkpoint {

struct BytesKind {
  using Value = Blob;
  static StoredForm stored_form(const Blob& value);
  static void encode(DocumentWriter& out, std::uint8_t tag, const Blob& value);
  static Blob decode(DocumentReader& in, std::uint8_t tag_offset);
};

}  // namespace perdure::checkpoint
