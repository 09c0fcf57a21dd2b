#pragma once
// All kinds of leaves, one row each.
#include <span>

#include "perdure/checkpoint/document/leaf_kind.h"

namespace perdure::checkpoint {

/// Plain values in the order of Scalar's alternatives, then arrays.
std::span<const LeafKind> leaf_kind_table();
const LeafKind& leaf_kind_of(const DocumentLeaf& leaf);

inline StoredForm stored_form(const DocumentLeaf& leaf) { return leaf_kind_of(leaf).stored_form(leaf); }

void encode_leaf(DocumentWriter& out, const DocumentLeaf& leaf);
/// The leaf whose tag was read. Throws kCorrupt for an unknown tag, naming `of_what`.
DocumentLeaf decode_leaf(DocumentReader& in, std::uint8_t tag, const char* of_what);

}  // namespace perdure::checkpoint
