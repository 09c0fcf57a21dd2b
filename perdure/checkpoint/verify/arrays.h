#pragma once
// Every value of every array of an item, read and decoded with its checksums.
#include "perdure/checkpoint/read/stored_tree.h"
#include "perdure/checkpoint/verify/fault_log.h"

namespace perdure::checkpoint {

/// A chunk at a time and thread; memory is bounded by the chunks.
void verify_arrays(const StoredTree& tree, const VerifyContext& context);

/// Every array of the store, for an item whose tree cannot be made out.
void verify_arrays_alone(const storage::KvStore& store, const VerifyContext& context);

}  // namespace perdure::checkpoint
