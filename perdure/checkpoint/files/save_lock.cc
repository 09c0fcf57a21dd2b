#include "perdure/checkpoint/files/save_lock.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

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

/// Processes of one machine may live in several worlds of process ids: containers.
std::string pid_namespace() {
  const auto found = posix_file_system().find_info("/proc/self/ns/pid");
  return found ? std::to_string(found->inode) : "unknown";
}

std::string owner_text() {
  return "host " + host_name() + "\nboot " + boot_id() + "\nnamespace " + pid_namespace() + "\npid " + std::to_string(getpid()) +
         "\n";
}

std::string field(const std::string& owner, const std::string& name) {
  const std::size_t begin = owner.find(name + ' ');
  if (begin == std::string::npos) return {};
  const std::size_t value = begin + name.size() + 1;
  return owner.substr(value, owner.find('\n', value) - value);
}

/// Empty while its owner writes it.
std::string read_owner(File& file) {
  std::string text(std::min(file.size_bytes(), kOwnerBytesMax), '\0');
  try {
    file.read_at(0, std::as_writable_bytes(std::span(text)));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kCorrupt) throw;
    text.clear();
  }
  return text;
}

/// Nobody's that could be asked: one that was not signed to the end, on a full disk or by a process that died then.
bool is_unsigned(const std::string& owner) { return !owner.ends_with('\n') || field(owner, "pid").empty(); }

/// Another machine's lock: same kernel or same host means that a lock which can be taken is free.
bool is_foreign(const std::string& owner) {
  return !is_unsigned(owner) && field(owner, "boot") != boot_id() && field(owner, "host") != host_name();
}

/// Of a process of this machine that has ended.
bool is_dead(const std::string& owner) {
  if (is_unsigned(owner) || field(owner, "host") != host_name()) return false;
  if (field(owner, "boot") != boot_id()) return true;
  if (field(owner, "namespace") != pid_namespace()) return false;
  const std::string digits = field(owner, "pid");
  pid_t pid = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), pid);
  return pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
}

bool has_no_locks(int errno_value) { return errno_value == ENOLCK || errno_value == ENOSYS || errno_value == EOPNOTSUPP; }
bool has_no_room(int errno_value) { return errno_value == ENOSPC || errno_value == EDQUOT; }

}  // namespace

SaveLock::SaveLock(FileSystem& fs, Clock& clock, const std::string& path)
    : fs_(fs), clock_(clock), destination_(path), path_(lock_path(path)), process_(::getpid()) {
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
  lock(existing);
  return sign(!existing);
}

void SaveLock::lock(const std::optional<FileInfo>& existing) {
  const std::string owner = read_owner(*file_);
  const bool is_believed = existing && !is_older_than_a_day(*existing);
  try {
    if (!file_->try_lock()) fail_busy(owner, true);
    if (is_believed && is_foreign(owner)) fail_busy(owner, false);
  } catch (const Error& error) {
    if (!has_no_locks(error.errno_value())) throw;
    if (is_believed && !is_dead(owner)) fail_busy(owner, false);
  }
}

bool SaveLock::is_older_than_a_day(const FileInfo& file) const {
  return static_cast<std::int64_t>(clock_.now_ns()) - file.modified_ns >= kForeignLockTtlNs;
}

/// One that has no lock file beside it was not made by us.
void SaveLock::check_temporary_directory() const {
  const std::string directory = temporary_path(destination_);
  const auto found = fs_.find_info(directory, false);
  if (!found) return;
  if (found->type != FileType::kDirectory || !is_older_than_a_day(*found)) {
    throw Error(ErrorKind::kAlreadyExists, "'" + directory +
                                               "' already exists and was not left by a save of perdure; "
                                               "remove it if no other program is saving");
  }
}

/// Writes who we are. False if the name does not lead to the file that we locked: then its owner had just removed it.
bool SaveLock::sign(bool is_new) {
  const auto named = fs_.find_info(path_, false);
  if (!named || !is_same_file(*named, file_->info())) return false;
  try {
    file_->truncate(0);
    file_->write_at(0, as_bytes(owner_text()));
  } catch (const Error& error) {
    if (has_no_room(error.errno_value())) return true;  // held all the same: a deletion may be what makes room
    if (is_new) fs_.remove_file(path_);
    throw;
  }
  return true;
}

void SaveLock::fail_busy(const std::string& owner, bool is_sure) const {
  const std::string who = is_unsigned(owner) ? "" : " (process " + field(owner, "pid") + " on " + field(owner, "host") + ")";
  const std::string advice =
      is_sure ? "" : "; if that is not so, remove '" + path_ + "' and '" + temporary_path(destination_) + "'";
  throw Error(ErrorKind::kAlreadyExists, "another save to '" + destination_ + "' is under way" + who + advice);
}

SaveLock::~SaveLock() {
  if (process_ != ::getpid()) return;
  try {
    if (!fs_.find_info(temporary_path(destination_), false))
      fs_.remove_file(path_);  // while it is locked: nobody can have taken it over
  } catch (const Error&) {
    // a file that stays is found free by the next save
  }
}

}  // namespace perdure::checkpoint
