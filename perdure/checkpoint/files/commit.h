#pragma once
// The temporary directory of a save, its lock, and the one step that makes it visible (docs/design/commit.md).
//
//   lock + NAME.orbax-checkpoint-tmp/  ->  everything synced  ->  rename to NAME, or exchange with it  ->  parent synced
//
// A temporary directory whose lock can be taken is a leftover of a process that died, and is removed by the next save.
// Where a file system cannot exchange: NAME -> NAME.perdure-old, temporary -> NAME. Whatever is deleted has the temporary
// name by then, so that a deletion cut short leaves a leftover and never half a checkpoint under a name that counts.
#include <memory>
#include <string>

#include "perdure/base/environment.h"

namespace perdure::checkpoint {

/// One save in progress. For one thread. Not committed when it goes: the temporary directory is removed, but by no forked child.
class Transaction {
 public:
  /// Undoes an earlier overwrite that was cut short, clears leftovers, and checks the destination: kAlreadyExists when it exists
  /// (without `overwrite`), when it is no checkpoint (with it), or when somebody, here or in another process, is saving to it.
  /// kInvalid for a path inside of a checkpoint.
  Transaction(const std::string& path, bool overwrite, const Environment& environment);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  /// Where to write; made by the constructor.
  const std::string& directory() const { return directory_; }
  /// Syncs every file and directory, makes the checkpoint visible, and removes what it replaced. Durable when it returns.
  /// When it throws, what was at the destination before is there again.
  void commit();

 private:
  struct Impl;
  std::string directory_;
  std::unique_ptr<Impl> impl_;
};

/// Undoes or finishes an overwrite that a crash left half-way, under the lock of `path`. NAME.perdure-old is always a whole
/// checkpoint: either NAME is missing, and it takes its place, or NAME is the new one, and it goes. Throws kAlreadyExists where
/// neither is so: something else stands at NAME.
void settle_overwrite(FileSystem& fs, const std::string& path);

/// Where the checkpoint at `path`, or the item of one, can be read. Undoes an overwrite that a crash left half-way (NAME.perdure-old and
/// no NAME); where that cannot be done now (read only, no room, somebody holds the lock), it is NAME.perdure-old. One look when
/// there is nothing to do.
std::string readable_path(FileSystem& fs, const std::string& path);

}  // namespace perdure::checkpoint
