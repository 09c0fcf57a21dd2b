#include "perdure/checkpoint/files/seen_directory.h"

#include <utility>

#include "perdure/checkpoint/files/commit.h"

namespace perdure::checkpoint {

SeenDirectory::SeenDirectory(FileSystem& fs, std::string path) : fs_(&fs), path_(std::move(path)), seen_(fs.find_info(path_)) {
  if (seen_) return;
  std::string readable = readable_path(fs, path_);
  seen_ = fs.find_info(readable);
  if (seen_) path_ = std::move(readable);
}

bool SeenDirectory::was_replaced() const {
  const std::optional<FileInfo> found = fs_->find_info(path_);
  if (!found || !seen_) return found.has_value() != seen_.has_value();
  return !is_same_file(*found, *seen_) ||
         found->modified_ns != seen_->modified_ns;  // a new directory may get the inode of the old
}

void SeenDirectory::check_not_replaced() const {
  if (!was_replaced()) return;
  throw Error(ErrorKind::kCheckpoint, "the checkpoint at '" + path_ + "' was overwritten or deleted while it was being read");
}

}  // namespace perdure::checkpoint
