#pragma once
// What an item holds, before its arrays are looked at: by our own document, or by Orbax's files where perdure did not write it.
#include <cstdint>
#include <optional>
#include <vector>

#include "perdure/checkpoint/document/item_document.h"
#include "perdure/checkpoint/files/listed_directory.h"

namespace perdure::checkpoint {

struct ItemContents {
  ItemDocument document;
  std::vector<std::uint32_t> scalar_arrays;  // leaves that are Python numbers, stored as arrays of rank 0
  std::optional<bool> use_ocdbt;             // of open_item_store
  bool is_ours = false;
};

/// Throws kCorrupt naming the file: missing, damaged, contradictory. A kind of value that perdure does not know is a Handled one.
ItemContents read_item_contents(const ListedDirectory& directory);

}  // namespace perdure::checkpoint
