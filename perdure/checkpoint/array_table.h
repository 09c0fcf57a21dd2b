#pragma once
// Zarr metadata of the arrays of an item, by name. Layers of one shape have equal texts: each text is parsed once.
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "perdure/storage/kvstore.h"
#include "perdure/storage/zarr/metadata.h"

namespace perdure::checkpoint {

/// "params.w/c/0"; an array of no name is at the root of the store.
std::string array_key(std::string_view array_name, std::string_view key);

/// For one thread. Borrows the store.
class ArrayTable {
 public:
  explicit ArrayTable(const storage::KvStore& store) : store_(store) {}

  /// Throws kCorrupt naming the array when it has no metadata, or none that makes sense.
  std::shared_ptr<const storage::zarr::ArrayMetadata> find(const std::string& name);

 private:
  using Metadata = std::shared_ptr<const storage::zarr::ArrayMetadata>;
  Metadata find_zarr3(const std::string& name);
  Metadata find_zarr2(const std::string& name);

  const storage::KvStore& store_;
  std::unordered_map<std::string, Metadata> by_text_;
  bool zarr2_first_ = false;  // what the last array was: an item has one kind
};

}  // namespace perdure::checkpoint
