#include "perdure/checkpoint/delete.h"

#include "perdure/base/error.h"
#include "perdure/checkpoint/files/commit.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/files/save_lock.h"

namespace perdure {

using namespace checkpoint;  // NOLINT: this file is its front

namespace {

void check_deletable(FileSystem& fs, const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::kInvalid, "'" + path + "' " + why + "; it is not deleted");
  };
  switch (directory_kind(fs, path)) {
    case DirectoryKind::kNothing: throw Error(ErrorKind::kNotFound, "there is no checkpoint at '" + path + "'");
    case DirectoryKind::kCheckpoint: return;
    case DirectoryKind::kItem:
      if (directory_kind(fs, fs.real_path(parent_path(path))) == DirectoryKind::kCheckpoint) refuse("is a part of a checkpoint");
      return;
    default: refuse("is no checkpoint");
  }
}

}  // namespace

void delete_checkpoint(const std::string& path, const Environment& environment) {
  FileSystem& fs = file_system_of(environment);
  recover(fs, path);
  check_deletable(fs, path);
  const SaveLock lock(fs, clock_of(environment), path);
  settle_overwrite(fs, path);  // or what was overwritten would come back
  check_deletable(fs, path);   // now nobody changes it
  remove_tree(fs, temporary_path(path));
  fs.rename_new(path, temporary_path(path));
  fs.sync_directory(parent_path(path));
  remove_tree(fs, temporary_path(path));
}

}  // namespace perdure
