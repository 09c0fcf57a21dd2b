#pragma once
// Every value of every array of an item, read and decoded with its checksums; and whether foreign readers see what perdure says.
#include "perdure/base/executor.h"
#include "perdure/checkpoint/read/tree_item.h"
#include "perdure/checkpoint/verify/fault_log.h"

namespace perdure::checkpoint {

struct VerifyContext {
  const std::string& root;  // of the checkpoint: files are named relative to it
  Executor& executor;
  FaultLog& log;
};

/// A chunk at a time and thread; memory is bounded by the chunks.
void verify_arrays(const StoredTree& tree, const VerifyContext& context);

/// Every array of the store, for an item whose tree cannot be made out.
void verify_arrays_alone(const storage::KvStore& store, const VerifyContext& context);

/// `_METADATA`, `_strings.json` and the numbers among the arrays, compared with the document; arrays in the store that no leaf
/// has. For items that perdure wrote.
void verify_foreign_view(const StoredTree& tree, const ListedDirectory& directory, const VerifyContext& context);

}  // namespace perdure::checkpoint
