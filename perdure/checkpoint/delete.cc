#include "perdure/checkpoint/delete.h"

#include "perdure/base/error.h"
#include "perdure/checkpoint/files/commit.h"
#include "perdure/checkpoint/files/destination.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/files/save_lock.h"

namespace perdure {

using namespace checkpoint;  // NOLINT: this file is its front

namespace {

/// False if there is nothing.
bool check_deletable(FileSystem& fs, const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::kInvalid, "'" + path + "' " + why + "; it is not deleted");
  };
  switch (directory_kind(fs, path)) {
    case DirectoryKind::kNothing: return false;
    case DirectoryKind::kCheckpoint: return true;
    case DirectoryKind::kItem:
      if (directory_kind(fs, fs.real_path(parent_path(path))) == DirectoryKind::kCheckpoint) refuse("is a part of a checkpoint");
      return true;
    default: refuse("is no checkpoint");
  }
  return false;
}

}  // namespace

void delete_checkpoint(const std::string& given_path, const Environment& environment) {
  FileSystem& fs = file_system_of(environment);
  const std::string path = destination_path(given_path);
  const std::string temporary = temporary_path(path);
  if (!check_deletable(fs, path) && !exists(fs, old_path(path)) && !exists(fs, temporary))
    throw Error(ErrorKind::kNotFound, "there is no checkpoint at '" + path + "'");
  const SaveLock lock(fs, clock_of(environment), path);
  settle_overwrite(fs, path);  // or what was overwritten would come back
  remove_tree(fs, temporary);
  if (!check_deletable(fs, path)) return;  // it was the remains of a deletion or of a save
  fs.rename_new(path, temporary);
  fs.sync_directory(parent_path(path));
  remove_tree(fs, temporary);
}

}  // namespace perdure
