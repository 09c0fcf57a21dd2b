#include "perdure/checkpoint/files/commit.h"

#include <unistd.h>

#include <functional>
#include <optional>

#include "perdure/base/error.h"
#include "perdure/checkpoint/files/destination.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/files/save_lock.h"

namespace perdure::checkpoint {
namespace {

constexpr int kLockAttemptsMax = 5;

/// What was overwritten lies under the temporary name after an exchange, else under NAME.perdure-old.
void remove_replaced(FileSystem& fs, const std::string& path) {
  if (exists(fs, old_path(path))) {
    fs.rename_new(old_path(path), temporary_path(path));
    fs.sync_directory(parent_path(path));  // name before content: what is half deleted must not come back as the old one
  }
  remove_tree(fs, temporary_path(path));
}

}  // namespace

struct Transaction::Impl {
  FileSystem& fs;
  Clock& clock;
  LogSink* log;
  std::string path;
  bool overwrite;
  const pid_t process = ::getpid();
  std::vector<std::string> made_ancestors;  // innermost first
  std::optional<SaveLock> lock;
  bool replaces = false;
  bool committed = false;

  void begin(const std::string& directory);
  void take_lock();
  void publish(const std::string& directory);
  void replace_by_exchange_or_renames(const std::string& directory);
  void replace_by_renames(const std::string& directory);
  void sync_parent_or(const std::function<void()>& undo);
  void attempt(const char* what, const std::function<void()>& step);
  void abandon(const std::string& directory);
};

Transaction::Transaction(const std::string& path, bool overwrite, const Environment& environment)
    : impl_(new Impl{.fs = file_system_of(environment),
                     .clock = clock_of(environment),
                     .log = environment.log,
                     .path = destination_path(path),
                     .overwrite = overwrite,
                     .made_ancestors = {},
                     .lock = {}}) {
  directory_ = temporary_path(impl_->path);
  try {
    impl_->begin(directory_);
  } catch (...) {
    impl_->abandon({});
    throw;
  }
}

void Transaction::Impl::begin(const std::string& directory) {
  if (const auto around = find_enclosing_checkpoint(fs, path))
    throw Error(ErrorKind::kInvalid, "'" + path + "' lies inside the checkpoint '" + *around + "'; save beside it");
  // At once, before anything is made. What stands there can be told only under the lock: somebody may be changing it.
  if (!overwrite && !exists(fs, old_path(path))) check_destination(fs, path, overwrite);
  take_lock();
  settle_overwrite(fs, path);
  check_destination(fs, path, overwrite);
  remove_tree(fs, directory);
  fs.make_directory(directory);
}

/// Makes its directory. That may go at once: a save beside us that fails takes away what it made, as long as that is empty.
void Transaction::Impl::take_lock() {
  for (int attempt = 1;; ++attempt) {
    if (made_ancestors.empty()) made_ancestors = missing_ancestors(fs, path);
    try {
      make_directories(fs, parent_path(path));
      lock.emplace(fs, clock, path);
      return;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kNotFound || attempt == kLockAttemptsMax) throw;
    }
  }
}

Transaction::~Transaction() {
  if (!impl_->committed && impl_->process == ::getpid()) impl_->abandon(directory_);
}

void Transaction::commit() {
  sync_tree(impl_->fs, directory_);
  for (const std::string& ancestor : impl_->made_ancestors) impl_->fs.sync_directory(parent_path(ancestor));
  impl_->publish(directory_);
  impl_->committed = true;
  if (impl_->replaces) {
    impl_->attempt("remove what was overwritten", [&] { remove_replaced(impl_->fs, impl_->path); });
  }
  impl_->lock.reset();
}

void Transaction::Impl::publish(const std::string& directory) {
  replaces = overwrite && exists(fs, path);  // now, not when the save began: what was there may be gone
  if (replaces) return replace_by_exchange_or_renames(directory);
  fs.rename_new(directory, path);
  sync_parent_or([&] { fs.rename_new(path, directory); });
}

void Transaction::Impl::replace_by_exchange_or_renames(const std::string& directory) {
  check_replaceable(fs, path);
  if (!fs.exchange(directory, path)) return replace_by_renames(directory);
  sync_parent_or([&] { fs.exchange(directory, path); });
}

void Transaction::Impl::replace_by_renames(const std::string& directory) {
  const std::string old = old_path(path);
  fs.rename_new(path, old);
  try {
    fs.rename_new(directory, path);
  } catch (...) {
    fs.rename_new(old, path);
    throw;
  }
  sync_parent_or([&] {
    fs.rename_new(path, directory);
    fs.rename_new(old, path);
  });
}

/// The step counts only once it is on the disk.
void Transaction::Impl::sync_parent_or(const std::function<void()>& undo) {
  try {
    fs.sync_directory(parent_path(path));
  } catch (...) {
    undo();
    throw;
  }
}

/// For clean-up: the save has succeeded already, or has failed with an error that is the one to report.
void Transaction::Impl::attempt(const char* what, const std::function<void()>& step) {
  try {
    step();
  } catch (const Error& error) {
    if (log) log->warn(std::string("could not ") + what + ": " + error.message());
  }
}

void Transaction::Impl::abandon(const std::string& directory) {
  if (!directory.empty()) attempt("remove a temporary directory", [&] { remove_tree(fs, directory); });
  lock.reset();
  for (const std::string& made : made_ancestors) {
    attempt("remove a parent directory", [&] {
      if (exists(fs, made) && fs.list(made).empty()) fs.remove_directory(made);
    });
  }
}

void settle_overwrite(FileSystem& fs, const std::string& path) {
  const std::string old = old_path(path);
  if (!exists(fs, old)) return;
  if (directory_kind(fs, old) == DirectoryKind::kOther)
    throw Error(ErrorKind::kAlreadyExists, "'" + old + "' already exists and is no checkpoint; it is in the way");
  if (!exists(fs, path)) {
    fs.rename_new(old, path);
    fs.sync_directory(parent_path(path));
    return;
  }
  check_replaceable(fs, path);  // else the old one is all that there is
  remove_tree(fs, temporary_path(path));
  remove_replaced(fs, path);
}

std::string readable_path(FileSystem& fs, const std::string& path) {
  if (path.empty() || exists(fs, path)) return path;
  const std::string old = old_path(path);
  if (!exists(fs, old)) {
    const std::string parent = parent_path(path);
    return exists(fs, parent) ? path : join_path(readable_path(fs, parent), file_name(path));
  }
  try {
    const SaveLock lock(fs, system_clock(), path);
    settle_overwrite(fs, path);
  } catch (const Error&) {
    if (!exists(fs, path) && directory_kind(fs, old) != DirectoryKind::kOther) return old;
  }
  return path;
}

}  // namespace perdure::checkpoint
