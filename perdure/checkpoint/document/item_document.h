#pragma once
// _PERDURE_TREE: what perdure knows about a tree beyond what Orbax's files can say, so that everything comes back as it went in.
//
// Foreign readers ignore it. `_METADATA` names it under "perdure", so that its loss is an error and not a silent loss of types.
// Binary and columnar (docs/design/item_document.md), since a tree of 20,000 leaves must cost milliseconds:
//
//   magic "perdure tree\n", version, structure (item_structure.h), origins, leaves (leaf_kind_table.h), crc32c
#include <string>
#include <string_view>
#include <vector>

#include "perdure/checkpoint/document/document_leaf.h"
#include "perdure/tree/structure.h"

namespace perdure::checkpoint {

struct ItemDocument {
  tree::Structure structure;
  std::vector<DocumentLeaf> leaves;  // by leaf index
};

/// `leaves` by leaf index of `structure`. Throws kInvalid for a tuple key that is nested too deeply, for text that is not UTF-8
/// (lone surrogates are) and for a BigInt that is not decimal.
std::string encode_item_document(const tree::Structure& structure, const std::vector<DocumentLeaf>& leaves);
/// Throws kCorrupt, also for a format version that is newer than this code.
ItemDocument parse_item_document(std::string_view text);

}  // namespace perdure::checkpoint
