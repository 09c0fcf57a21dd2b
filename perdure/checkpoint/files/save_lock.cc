#include "perdure/checkpoint/files/save_lock.h"

#include <unistd.h>

#include <atomic>

#include "perdure/base/error.h"
#include "perdure/checkpoint/files/layout.h"

namespace perdure::checkpoint {
namespace {

constexpr std::uint64_t kOwnerBytesMax = 4096;

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

/// Differs after each start of the kernel: locks of an earlier one are gone.
std::string boot_id() {
  try {
    std::string id(36, '\0');
    posix_file_system().open("/proc/sys/kernel/random/boot_id")->read_at(0, std::as_writable_bytes(std::span(id)));
    return id;
  } catch (const Error&) {
    return "unknown";
  }
}

/// One for each lock that this process ever takes, so that a file can be told from its successor under the same name.
std::string owner_text() {
  static std::atomic<std::uint64_t> count = 0;  // no partner: only uniqueness matters
  return "host " + host_name() + "\nboot " + boot_id() + "\npid " + std::to_string(getpid()) + "\nsave " +
         std::to_string(++count) + "\n";
}

std::string field(const std::string& owner, const std::string& name) {
  const std::size_t begin = owner.find(name + ' ');
  if (begin == std::string::npos) return {};
  const std::size_t value = begin + name.size() + 1;
  return owner.substr(value, owner.find('\n', value) - value);
}

std::string read_owner(File& file) {
  std::string text(std::min(file.size_bytes(), kOwnerBytesMax), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

/// Another machine's lock: same kernel or same host means that a lock which can be taken is free.
bool is_foreign(const std::string& owner) {
  return !owner.empty() && field(owner, "boot") != boot_id() && field(owner, "host") != host_name();
}

}  // namespace

SaveLock::SaveLock(FileSystem& fs, Clock& clock, const std::string& path)
    : fs_(fs), clock_(clock), destination_(path), path_(lock_path(path)) {
  while (!try_take()) {
  }
}

/// False: the file was made or removed by somebody else between our steps; look again.
bool SaveLock::try_take() {
  const auto existing = fs_.find_info(path_, false);
  if (!existing) check_temporary_directory();
  try {
    file_ = existing ? fs_.open_writable(path_) : fs_.create(path_);
  } catch (const Error& error) {
    if (error.kind() != (existing ? ErrorKind::kNotFound : ErrorKind::kAlreadyExists)) throw;
    return false;
  }
  const std::string owner = read_owner(*file_);
  if (!file_->try_lock()) fail_busy(owner);
  if (existing && is_foreign(owner) && static_cast<std::int64_t>(clock_.now_ns()) - existing->modified_ns < kForeignLockTtlNs) {
    fail_busy(owner);
  }
  return sign(!existing);
}

/// One that has no lock file beside it was not made by us.
void SaveLock::check_temporary_directory() const {
  const std::string directory = temporary_path(destination_);
  const auto found = fs_.find_info(directory, false);
  if (!found) return;
  if (found->type != FileType::kDirectory ||
      static_cast<std::int64_t>(clock_.now_ns()) - found->modified_ns < kForeignLockTtlNs) {
    throw Error(ErrorKind::kAlreadyExists, "'" + directory +
                                               "' already exists and was not left by a save of perdure; "
                                               "remove it if no other program is saving");
  }
}

/// Writes who we are. False if the name does not lead to the file that we locked: then its owner had just removed it.
bool SaveLock::sign(bool is_new) {
  const std::string owner = owner_text();
  try {
    file_->truncate(0);
    file_->write_at(0, as_bytes(owner));
    return read_file(fs_, path_, kOwnerBytesMax) == owner;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kNotFound) return false;
    if (is_new) fs_.remove_file(path_);
    throw;
  }
}

void SaveLock::fail_busy(const std::string& owner) const {
  std::string who = field(owner, "pid").empty() ? "" : " (process " + field(owner, "pid") + " on " + field(owner, "host") + ")";
  throw Error(ErrorKind::kAlreadyExists, "another save to '" + destination_ + "' is under way" + who);
}

SaveLock::~SaveLock() {
  try {
    if (!fs_.find_info(temporary_path(destination_), false))
      fs_.remove_file(path_);  // while it is locked: nobody can have taken it over
  } catch (const Error&) {
    // a file that stays is found free by the next save
  }
}

}  // namespace perdure::checkpoint
