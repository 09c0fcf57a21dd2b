#pragma once
// Who is saving to a path: a locked file beside it, NAME.orbax-checkpoint-tmp.lock, that says host, boot and process.
//
// Beside and not inside the temporary directory: the lock also covers the moments when that directory becomes visible and
// when what it replaced is deleted, and no committed checkpoint ever contains it.
//
// Where a file system has no locks (ENOLCK, ENOSYS, EOPNOTSUPP: Lustre, some of NFS), the file alone is the lock. It is free once the process
// that it names has ended here, and is believed for a day otherwise.
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "perdure/base/clock.h"
#include "perdure/base/file_system.h"

namespace perdure::checkpoint {

/// How long another host's lock is believed although it can be taken, since its locks may not reach this host; and how long a
/// temporary directory without a lock file is believed to be another program's that is at work.
inline constexpr std::int64_t kForeignLockTtlNs = 24ll * 3600 * 1'000'000'000;

/// Held until it goes. The file is removed then, unless something lies under the temporary name: it says to the next save whose
/// remains those are. A forked child's copy does nothing. For one thread.
class SaveLock {
 public:
  /// Does not wait. Throws kAlreadyExists when somebody, here, in another process, on another host or in another program, is saving
  /// to `path`. Afterwards what lies under the temporary name is of a save that died, and may be removed.
  SaveLock(FileSystem& fs, Clock& clock, const std::string& path);
  ~SaveLock();
  SaveLock(const SaveLock&) = delete;
  SaveLock& operator=(const SaveLock&) = delete;

 private:
  bool try_take();
  void lock(const std::optional<FileInfo>& existing);
  bool sign(bool is_new);
  bool is_older_than_a_day(const FileInfo& file) const;
  void check_temporary_directory() const;
  [[noreturn]] void fail_busy(const std::string& owner, bool is_sure) const;
  FileSystem& fs_;
  Clock& clock_;
  std::string destination_;
  std::string path_;
  const pid_t process_;
  std::unique_ptr<File> file_;
};

}  // namespace perdure::checkpoint
