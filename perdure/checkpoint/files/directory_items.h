#pragma once
// A checkpoint directory as a reader finds it: which items it holds, and where each of them lies.
#include <string>
#include <string_view>
#include <vector>

#include "perdure/checkpoint/files/listed_directory.h"

namespace perdure::checkpoint {

struct DirectoryItems {
  bool is_item = false;            // the directory is itself the one item, named ""
  std::vector<std::string> names;  // sorted; what Orbax's managers keep beside the items is none
};

/// Throws kNotFound when `path` is no checkpoint, kCorrupt when it is an unfinished one. `path` itself may be a link.
DirectoryItems find_items(FileSystem& fs, const std::string& path);

/// True if the item holds a tree.
bool holds_tree(FileSystem& fs, const std::string& item_path);

/// The item that `name` means ("AUTO": `state`, else the first tree). Throws kNotFound naming what was asked and what exists.
std::string choose_tree(FileSystem& fs, const std::string& path, const DirectoryItems& items, std::string_view name);

/// Throws kNotFound, naming what was asked and what exists, unless `name` is one of the items.
void check_exists(const std::string& path, const DirectoryItems& items, std::string_view name);

/// Where an item lies. Throws kCorrupt for a link, unless `follow_links`.
std::string item_path(FileSystem& fs, const std::string& path, const DirectoryItems& items, std::string_view name,
                      bool follow_links);

}  // namespace perdure::checkpoint
