#include "perdure/checkpoint/files/destination.h"

#include "perdure/base/error.h"
#include "perdure/checkpoint/files/layout.h"

namespace perdure::checkpoint {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::kAlreadyExists, "'" + path + "' " + why);
}

std::string nearest_ancestor(FileSystem& fs, const std::string& path) {
  std::string ancestor = parent_path(path);
  while (!exists(fs, ancestor)) ancestor = parent_path(ancestor);
  return ancestor;
}

}  // namespace

bool exists(FileSystem& fs, const std::string& path) { return fs.find_info(path, false).has_value(); }

std::string destination_path(const std::string& path) {
  const std::string name = file_name(path);
  if (name.empty() || name == "." || name == ".." || name == "/" || path.find('\0') != std::string::npos) {
    throw Error(ErrorKind::kInvalid, "'" + path + "' does not name a directory to save to");
  }
  if (is_temporary_name(name) || name.ends_with(kOldSuffix)) {
    throw Error(ErrorKind::kInvalid, "'" + path + "' is the name of a temporary directory of saves");
  }
  const std::string parent = parent_path(path);
  return parent == "." && !path.starts_with("./") ? name : join_path(parent, name);
}

std::optional<std::string> find_enclosing_checkpoint(FileSystem& fs, const std::string& path) {
  for (std::string ancestor = fs.real_path(nearest_ancestor(fs, path)); ancestor != "/"; ancestor = parent_path(ancestor)) {
    const DirectoryKind kind = directory_kind(fs, ancestor);
    if (kind == DirectoryKind::kCheckpoint || kind == DirectoryKind::kItem) return ancestor;
  }
  return std::nullopt;
}

void check_destination(FileSystem& fs, const std::string& path, bool overwrite) {
  if (!exists(fs, path)) return;
  if (!overwrite) refuse(path, "already exists");
  check_replaceable(fs, path);
}

void check_replaceable(FileSystem& fs, const std::string& path) {
  const auto found = fs.find_info(path, false);
  if (found && found->type == FileType::kLink) refuse(path, "already exists and is a symbolic link; save to what it points to");
  if (directory_kind(fs, path) == DirectoryKind::kOther)
    refuse(path, "already exists and is no checkpoint; it is not overwritten");
}

std::vector<std::string> missing_ancestors(FileSystem& fs, const std::string& path) {
  std::vector<std::string> missing;
  for (std::string ancestor = parent_path(path); !exists(fs, ancestor); ancestor = parent_path(ancestor))
    missing.push_back(ancestor);
  return missing;
}

}  // namespace perdure::checkpoint
