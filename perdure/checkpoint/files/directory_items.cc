#include "perdure/checkpoint/files/directory_items.h"

#include <algorithm>

#include "perdure/base/error.h"
#include "perdure/base/quoted_list.h"
#include "perdure/checkpoint/files/layout.h"

namespace perdure::checkpoint {
namespace {

constexpr std::string_view kAuto = "AUTO";
constexpr std::string_view kPreferredItem = "state";

template <class Names>
bool has_any(FileSystem& fs, const std::string& directory, const Names& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return fs.find_info(join_path(directory, name), false).has_value(); });
}

/// Sub-directories, and links to directories: whoever asks for one is told that it is a link.
std::vector<std::string> sub_directories(FileSystem& fs, const std::string& path) {
  std::vector<std::string> names;
  for (const DirectoryEntry& entry : fs.list(path)) {
    if (is_temporary_name(entry.name) || entry.name == kMetricsItem || entry.name == kDescriptorItem) continue;
    const std::optional<FileInfo> target =
        entry.type == FileType::kLink ? fs.find_info(join_path(path, entry.name)) : std::nullopt;
    if (entry.type == FileType::kDirectory || (target && target->type == FileType::kDirectory)) names.push_back(entry.name);
  }
  return names;
}

}  // namespace

bool holds_tree(FileSystem& fs, const std::string& item_path) { return has_any(fs, item_path, kTreeMarks); }

DirectoryItems find_items(FileSystem& fs, const std::string& path) {
  const std::optional<FileInfo> info = fs.find_info(path);
  if (!info) throw Error(ErrorKind::kNotFound, "there is no checkpoint at '" + path + "'");
  if (info->type != FileType::kDirectory)
    throw Error(ErrorKind::kNotFound, "'" + path + "' is no checkpoint: it is not a directory");
  if (is_temporary_name(file_name(path)))
    throw Error(ErrorKind::kCorrupt, "'" + path + "' is a checkpoint whose save has not finished");
  if (has_any(fs, path, kItemMarks)) return {.is_item = true, .names = {""}};
  DirectoryItems items{.is_item = false, .names = sub_directories(fs, path)};
  const bool is_checkpoint =
      has_any(fs, path, kCheckpointMarks) || std::any_of(items.names.begin(), items.names.end(), [&](const std::string& name) {
        return has_any(fs, join_path(path, name), kSureItemMarks);
      });
  if (!is_checkpoint) throw Error(ErrorKind::kNotFound, "'" + path + "' is no checkpoint");
  return items;
}

std::string item_path(FileSystem& fs, const std::string& path, const DirectoryItems& items, std::string_view name,
                      bool follow_links) {
  if (items.is_item) return path;
  std::string item = join_path(path, name);
  const std::optional<FileInfo> info = fs.find_info(item, follow_links);
  if (info && info->type == FileType::kDirectory) return item;
  throw Error(ErrorKind::kCorrupt, "'" + item + "' is a link; links are followed only with follow_links");
}

void check_exists(const std::string& path, const DirectoryItems& items, std::string_view name) {
  if (std::ranges::find(items.names, name) != items.names.end()) return;
  throw Error(ErrorKind::kNotFound,
              "there is no item '" + std::string(name) + "' in '" + path + "'; there is " + quoted_list(items.names));
}

std::string choose_tree(FileSystem& fs, const std::string& path, const DirectoryItems& items, std::string_view name) {
  if (items.is_item && (name == kAuto || name.empty())) return "";
  const auto is_tree = [&](const std::string& item) { return holds_tree(fs, join_path(path, item)); };
  if (name != kAuto) {
    check_exists(path, items, name);
    std::string item(name);
    if (!is_tree(item)) throw Error(ErrorKind::kNotFound, "item '" + item + "' in '" + path + "' holds no tree");
    return item;
  }
  std::vector<std::string> candidates = items.names;
  std::stable_partition(candidates.begin(), candidates.end(), [](const std::string& item) { return item == kPreferredItem; });
  const auto found = std::find_if(candidates.begin(), candidates.end(), is_tree);
  if (found == candidates.end())
    throw Error(ErrorKind::kNotFound, "there is no tree in '" + path + "'; there is " + quoted_list(items.names));
  return *found;
}

}  // namespace perdure::checkpoint
