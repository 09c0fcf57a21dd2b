#include "perdure/checkpoint/files/seen_directory.h"

namespace perdure::checkpoint {

SeenDirectory::SeenDirectory(FileSystem& fs, std::string path) : fs_(&fs), path_(std::move(path)), seen_(fs_->find_info(path_)) {}

bool SeenDirectory::is_there() const {
  const std::optional<FileInfo> found = fs_->find_info(path_);
  if (!found || !seen_) return !found && !seen_;
  return is_same_file(*found, *seen_) &&
         found->modified_ns == seen_->modified_ns;  // a new directory may get the inode of the old
}

void SeenDirectory::check() const {
  if (is_there()) return;
  throw Error(ErrorKind::kCheckpoint, "the checkpoint at '" + path_ + "' was overwritten or deleted while it was being read");
}

}  // namespace perdure::checkpoint
