#include "perdure/checkpoint/files/layout.h"

#include <algorithm>

namespace perdure::checkpoint {
namespace {

std::string beside(const std::string& path, std::string_view suffix) {
  return join_path(parent_path(path), file_name(path).append(suffix));
}

bool has_file(FileSystem& fs, const std::string& directory, std::string_view name) {
  const auto found = fs.find_info(join_path(directory, name), false);
  return found && found->type == FileType::kFile;
}

}  // namespace

bool is_temporary_name(std::string_view name) { return name.find(kTemporarySuffix) != name.npos; }

std::string temporary_path(const std::string& path) { return beside(path, kTemporarySuffix); }
std::string lock_path(const std::string& path) { return beside(path, kLockSuffix); }
std::string old_path(const std::string& path) { return beside(path, kOldSuffix); }

DirectoryKind directory_kind(FileSystem& fs, const std::string& path) {
  const auto found = fs.find_info(path, false);
  if (!found) return DirectoryKind::kNothing;
  if (found->type != FileType::kDirectory) return DirectoryKind::kOther;
  if (is_temporary_name(file_name(path))) return DirectoryKind::kUnfinished;
  const auto has_mark = [&](std::string_view mark) { return has_file(fs, path, mark); };
  if (std::ranges::any_of(kSureItemMarks, has_mark)) return DirectoryKind::kItem;
  if (std::ranges::any_of(kSureCheckpointMarks, has_mark)) return DirectoryKind::kCheckpoint;
  return DirectoryKind::kOther;
}

}  // namespace perdure::checkpoint
