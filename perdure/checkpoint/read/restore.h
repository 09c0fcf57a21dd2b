#pragma once
// Restore policy: what a template leaf makes of a stored leaf. Decides what is read and as what, reads it all at once, and
// turns it into what was asked for.
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "perdure/base/error.h"
#include "perdure/base/scalar.h"
#include "perdure/checkpoint/load.h"
#include "perdure/tree/leaf_template.h"

namespace perdure::checkpoint {

using tree::LeafTemplate;

struct RestorePolicy {
  bool pad_and_truncate = false;  // another shape than the template's: what fits, zeros elsewhere
};

using RestoredLeaf = std::variant<Scalar, LoadedArray>;

/// Borrows the item. For one thread.
class TreeRestore {
 public:
  TreeRestore(const TreeItem& item, const RestorePolicy& policy) : item_(item), policy_(policy) {}

  /// Asks for a leaf. `key` is its key path in the template.
  void want(std::uint32_t leaf_index, const LeafTemplate& wanted, std::string key);
  /// Reads everything that was asked for, in the order of the want() calls. Once. Throws kMismatch naming every leaf that does not
  /// fit what the template asks for, before anything is read.
  std::vector<RestoredLeaf> run(const ReadOptions& options);
  /// Key paths whose values are not what was saved, after run().
  const std::vector<std::string>& lossy_keys() const { return lossy_keys_; }

 private:
  /// An array in memory of its own. What `filled` leaves out is zero.
  struct OwnArray {
    DType dtype = DType::kUint8;
    Shape shape;
    Box filled;
  };
  struct Wanted {
    std::string key;
    RestoredLeaf result;                       // of leaves that need no reading
    std::optional<OwnArray> own;               // gets memory in run()
    std::optional<std::size_t> request;        // into requests_
    std::optional<ScalarKind> becomes_scalar;  // the array of rank 0 that is read becomes this
  };
  void want_leaf(const StoredLeaf& stored, const LeafTemplate& wanted, ArrayRequest request, Wanted& entry);
  void want_array(const StoredArray& stored, const LeafTemplate& wanted, ArrayRequest request, Wanted& entry);
  void want_scalar(const Scalar& stored, const LeafTemplate& wanted, Wanted& entry);
  void want_padded(const StoredArray& stored, const LeafTemplate& wanted, ArrayRequest& request, Wanted& entry);
  /// Gives the own arrays their memory. Returns its size.
  std::uint64_t place_own_arrays(std::uint64_t bytes_max);
  RestoredLeaf take(Wanted& entry, std::vector<LoadedArray>& loaded);

  const TreeItem& item_;
  RestorePolicy policy_;
  std::vector<Wanted> wanted_;
  std::vector<ArrayRequest> requests_;
  std::string mismatches_;  // what does not fit
  std::vector<std::string> lossy_keys_;
};

}  // namespace perdure::checkpoint
