#pragma once
// The store of an item directory: where the values of its arrays are.
#include <memory>
#include <optional>

#include "perdure/checkpoint/files/listed_directory.h"
#include "perdure/storage/kvstore.h"

namespace perdure::checkpoint {

/// `use_ocdbt`: as the item's metadata say; nullopt: whatever is there. Throws kCorrupt if they say a database and there is none, or if
/// its manifest is not what was written.
std::unique_ptr<storage::KvStore> open_item_store(const ListedDirectory& directory, std::optional<bool> use_ocdbt = {});

}  // namespace perdure::checkpoint
