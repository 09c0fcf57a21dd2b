#pragma once
// Whether foreign readers of an item see what perdure says.
#include "perdure/checkpoint/files/listed_directory.h"
#include "perdure/checkpoint/read/stored_tree.h"
#include "perdure/checkpoint/verify/fault_log.h"

namespace perdure::checkpoint {

/// `_METADATA`, `_strings.json` and the numbers among the arrays, compared with the document; arrays in the store that no leaf
/// has. For items that perdure wrote.
void verify_foreign_view(const StoredTree& tree, const ListedDirectory& directory, const VerifyContext& context);

}  // namespace perdure::checkpoint
