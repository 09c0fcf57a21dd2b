#pragma once
// Arrays that a leaf handler writes in one call, without a tree around them. (Its texts: strings_file.h.)
//
//   LeafBatch batch({{"w", leaf, options}}, {.use_ocdbt = true});   // plans: what cannot be stored is refused
//   batch.stage();                                                  // from here on the owners may change what is synchronous
//   batch.write(directory);                                         // later, on any thread
//   finalize_leaves(directory);                                     // written_leaves.h; for OCDBT, once for all handlers
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "perdure/base/environment.h"
#include "perdure/checkpoint/plan/save_plan.h"
#include "perdure/checkpoint/write/transfer.h"
#include "perdure/checkpoint/write/written_leaves.h"

namespace perdure::checkpoint {

struct LeafToWrite {
  std::string name;  // in the store
  ArrayLeaf leaf;
  ArraySaveOptions options;
};

struct LeafBatchOptions {
  bool use_ocdbt = false;                                 // into the item's database; else each array into a directory of its own
  std::uint64_t data_file_bytes_max = ~std::uint64_t{0};  // a data file that has reached this is followed by another one
  TransferOptions transfer = {};                          // by position in the batch
  Environment environment = {};
};

/// For one thread at a time.
class LeafBatch {
 public:
  /// Throws kInvalid for what cannot be stored, naming it.
  LeafBatch(std::vector<LeafToWrite> leaves, LeafBatchOptions options);
  LeafBatch(const LeafBatch&) = delete;
  LeafBatch& operator=(const LeafBatch&) = delete;

  /// Copies synchronous arrays that their owners may change. At most once, before write().
  void stage();
  /// Blocks. An array of the same name that is there gives way.
  void write(const std::string& directory);

 private:
  void write_to_ocdbt(const std::string& directory);
  void write_to_directories(const std::string& directory);

  std::vector<LeafToWrite> leaves_;
  LeafBatchOptions options_;
  std::vector<PlannedArray> arrays_;  // in the order of writing; borrow from leaves_
  std::unique_ptr<Transfers> transfers_;
};

}  // namespace perdure::checkpoint
