#include "python/src/foreign_writer.h"

#include "perdure/base/error.h"
#include "perdure/base/file_system.h"

namespace perdure::python {

void ForeignPart::start() {
  const std::lock_guard lock(mutex_);
  started_ = true;
}

void ForeignPart::finish(std::optional<std::string> failure) {
  const std::lock_guard lock(mutex_);
  finished_ = true;
  failure_ = std::move(failure);
  changed_.notify_all();
}

void ForeignPart::make_directory(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (finished_) throw Error(ErrorKind::kCancelled, "the save of '" + path + "' has ended");
  make_directories(posix_file_system(), path);
}

void ForeignPart::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return finished_; });
  if (failure_) throw Error(ErrorKind::kCheckpoint, *failure_);
}

void ForeignPart::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return finished_ || !started_; });
}

}  // namespace perdure::python
