#pragma once
// The structure in the item document: classes, then the nodes in preorder as columns (docs/design/item_document.md).
#include "perdure/checkpoint/document/document_io.h"
#include "perdure/tree/structure.h"

namespace perdure::checkpoint {

/// Throws kInvalid for a tuple key that is nested too deeply.
void encode_structure(DocumentWriter& out, const tree::Structure& structure);
/// Throws kCorrupt, also when the child counts make no tree, and for a key that one container has twice.
tree::Structure decode_structure(DocumentReader& in);

}  // namespace perdure::checkpoint
