#include "perdure/checkpoint/layout.h"

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

std::string temporary_path(const std::string& path) { return beside(path, kTemporarySuffix); }
std::string lock_path(const std::string& path) { return beside(path, kLockSuffix); }
std::string old_path(const std::string& path) { return beside(path, kOldSuffix); }

DirectoryKind directory_kind(FileSystem& fs, const std::string& path) {
  const auto found = fs.find_info(path, false);
  if (!found) return DirectoryKind::kNothing;
  if (found->type != FileType::kDirectory) return DirectoryKind::kOther;
  if (file_name(path).find(kTemporarySuffix) != std::string::npos) return DirectoryKind::kUnfinished;
  if (has_file(fs, path, kTreeMetadataFile)) return DirectoryKind::kItem;
  if (has_file(fs, path, kIndicatorFile) || has_file(fs, path, kCheckpointMetadataFile)) return DirectoryKind::kCheckpoint;
  return DirectoryKind::kOther;
}

}  // namespace perdure::checkpoint
