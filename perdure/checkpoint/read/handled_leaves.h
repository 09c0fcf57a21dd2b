#pragma once
// The leaves of one load that the program's leaf handlers make.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perdure/checkpoint/leaf_handler_registry.h"
#include "perdure/checkpoint/read/stored_parts.h"

namespace perdure::checkpoint {

/// For one thread. Borrows everything.
class HandledLeaves {
 public:
  /// `item`: the tree of the checkpoint that `options` name.
  HandledLeaves(const Checkpoint& checkpoint, const TreeItem& item, const LoadOptions& options);

  /// Whether a handler keeps the stored leaf. Throws kNoHandler naming key path and typestr if the program has none of that name.
  bool has(std::uint32_t stored_leaf);
  /// The value of such a leaf. What its handler throws has a note with the key path.
  Scalar make(std::uint32_t stored_leaf);
  /// Once all are made: throws kCheckpoint where some of them may be of another save that came meanwhile.
  void check_not_replaced() const;
  /// Counts an array that was read already against the limit of the load.
  void spend(const LoadedArray& array);

 private:
  const std::string& name(std::uint32_t stored_leaf);

  const Checkpoint& checkpoint_;
  const TreeItem& item_;
  const LoadOptions& options_;
  const LeafHandlerRegistry& handlers_;
  std::optional<StoredParts> parts_;  // once a leaf is a handler's
  std::vector<std::string> names_;    // of all leaves
};

}  // namespace perdure::checkpoint
