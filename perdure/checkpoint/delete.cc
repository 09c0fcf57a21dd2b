#include "perdure/checkpoint/delete.h"

#include "perdure/base/error.h"
#include "perdure/checkpoint/files/commit.h"
#include "perdure/checkpoint/files/destination.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/files/save_lock.h"

namespace perdure {

using namespace checkpoint;  // NOLINT: this file is its front

void delete_checkpoint(const std::string& given_path, const Environment& environment) {
  FileSystem& fs = file_system_of(environment);
  const std::string path = destination_path(given_path);
  const std::string temporary = temporary_path(path);
  if (!exists(fs, path) && !exists(fs, old_path(path)) && !exists(fs, temporary))
    throw Error(ErrorKind::kNotFound, "there is no checkpoint at '" + path + "'");
  if (const auto around = find_enclosing_checkpoint(fs, path))
    throw Error(ErrorKind::kInvalid, "'" + path + "' is a part of the checkpoint '" + *around + "'; it is not deleted");
  const SaveLock lock(fs, clock_of(environment), path);
  if (directory_kind(fs, path) == DirectoryKind::kOther)
    throw Error(ErrorKind::kInvalid, "'" + path + "' is no checkpoint; it is not deleted");
  settle_overwrite(fs, path);  // or what was overwritten would come back
  remove_tree(fs, temporary);
  if (!exists(fs, path)) return;  // it was the remains of a deletion or of a save
  fs.rename_new(path, temporary);
  fs.sync_directory(parent_path(path));
  remove_tree(fs, temporary);
}

}  // namespace perdure
