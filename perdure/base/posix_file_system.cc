#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "perdure/base/error.h"
#include "perdure/base/file_system.h"
#include "perdure/base/immortal.h"

namespace perdure {
namespace {

[[noreturn]] void fail(std::string_view what, const std::string& path, int errno_value) {
  const Error error = io_error(what, path, errno_value);
  if (errno_value == ENOENT || errno_value == ENOTDIR) throw Error(ErrorKind::kNotFound, error.message());
  if (errno_value == EEXIST) throw Error(ErrorKind::kAlreadyExists, error.message());
  throw error;
}

/// The result of a system call, made again as long as signals interrupt it.
template <class Call>
auto retried(Call call) {
  for (;;) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

void check(int result, std::string_view what, const std::string& path) {
  if (result != 0) fail(what, path, errno);
}

off_t file_offset(std::uint64_t offset, const std::string& path) {
  if (offset > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) fail("cannot address", path, EFBIG);
  return static_cast<off_t>(offset);
}

FileType file_type(mode_t mode) {
  if (S_ISREG(mode)) return FileType::kFile;
  if (S_ISDIR(mode)) return FileType::kDirectory;
  if (S_ISLNK(mode)) return FileType::kLink;
  return FileType::kOther;
}

FileInfo file_info(const struct stat& status) {
  return {.type = file_type(status.st_mode),
          .size_bytes = static_cast<std::uint64_t>(status.st_size),
          .modified_ns = status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec,
          .device = status.st_dev,
          .inode = status.st_ino,
          .link_count = status.st_nlink};
}

class PosixFile : public File {
 public:
  PosixFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  ~PosixFile() override { ::close(fd_); }

  const std::string& path() const override { return path_; }
  int native_handle() const override { return fd_; }

  FileInfo info() override {
    struct stat status;
    check(::fstat(fd_, &status), "cannot stat", path_);
    return file_info(status);
  }

  void read_at(std::uint64_t offset, ByteSpan target) override {
    const std::uint64_t end = offset + target.size();
    while (!target.empty()) {
      const off_t at = file_offset(offset, path_);
      const ssize_t got = retried([&] { return ::pread(fd_, target.data(), target.size(), at); });
      if (got < 0) fail("cannot read", path_, errno);
      if (got == 0) {
        throw Error(ErrorKind::kCorrupt,
                    "'" + path_ + "' ends at byte " + std::to_string(offset) + ", expected at least " + std::to_string(end));
      }
      target = target.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
  }

  void write_at(std::uint64_t offset, ByteView bytes) override {
    while (!bytes.empty()) {
      const off_t at = file_offset(offset, path_);
      const ssize_t put = retried([&] { return ::pwrite(fd_, bytes.data(), bytes.size(), at); });
      if (put <= 0) fail("cannot write", path_, put == 0 ? EIO : errno);
      bytes = bytes.subspan(static_cast<std::size_t>(put));
      offset += static_cast<std::uint64_t>(put);
    }
  }

  void truncate(std::uint64_t size_bytes) override {
    const off_t size = file_offset(size_bytes, path_);
    check(retried([&] { return ::ftruncate(fd_, size); }), "cannot truncate", path_);
  }

  void reserve(std::uint64_t size_bytes) override {
    if (size_bytes == 0) return;
    const off_t size = file_offset(size_bytes, path_);
    if (retried([&] { return ::fallocate(fd_, 0, 0, size); }) == 0) return;
    const bool no_room = errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO;
    if (no_room) fail("cannot reserve " + std::to_string(size_bytes) + " bytes for", path_, errno);
  }

  void sync() override {
    check(retried([&] { return ::fsync(fd_); }), "cannot sync", path_);
  }

  Blob map(std::uint64_t offset, std::uint64_t size) override {
    const std::uint64_t file_size = size_bytes();
    if (offset > file_size || size > file_size - offset) {
      throw Error(ErrorKind::kCorrupt, "'" + path_ + "' has " + std::to_string(file_size) + " bytes, expected " +
                                           std::to_string(size) + " at byte " + std::to_string(offset));
    }
    if (size == 0) return Blob();
    const std::uint64_t before = offset % static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    void* data = ::mmap(nullptr, before + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd_,
                        file_offset(offset - before, path_));
    if (data == MAP_FAILED) fail("cannot map", path_, errno);
    std::shared_ptr<void> mapping(data, [mapped = before + size](void* at) { ::munmap(at, mapped); });
    return Blob(ByteView(static_cast<const std::byte*>(data) + before, size), std::move(mapping));
  }

  bool try_lock() override {
    if (retried([&] { return ::flock(fd_, LOCK_EX | LOCK_NB); }) == 0) return true;
    if (errno != EWOULDBLOCK) fail("cannot lock", path_, errno);
    return false;
  }

 private:
  const int fd_;
  const std::string path_;
};

/// A FIFO that somebody left in a checkpoint must not block us.
constexpr int kDoNotWait = O_NONBLOCK;

std::unique_ptr<File> open_file(const std::string& path, int flags) {
  const int fd = retried([&] { return ::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, 0666); });
  if (fd < 0) fail("cannot open", path, errno);
  auto file = std::make_unique<PosixFile>(fd, path);
  struct stat status;
  check(::fstat(fd, &status), "cannot stat", path);
  if (!S_ISREG(status.st_mode)) fail("cannot open", path, S_ISDIR(status.st_mode) ? EISDIR : EINVAL);
  return file;
}

bool is_unsupported(int errno_value) { return errno_value == EINVAL || errno_value == ENOSYS || errno_value == EOPNOTSUPP; }

/// rename_new where renameat2 has no RENAME_NOREPLACE (NFS). A directory replaces at most an empty one that somebody makes at this
/// moment; a crash can leave a file under both names.
void rename_new_without_flag(const std::string& from, const std::string& to, bool directory) {
  struct stat status;
  if (directory && ::lstat(to.c_str(), &status) == 0) fail("cannot rename '" + from + "' to", to, EEXIST);
  if (directory) return check(::rename(from.c_str(), to.c_str()), "cannot rename '" + from + "' to", to);
  check(::link(from.c_str(), to.c_str()), "cannot rename to", to);
  check(::unlink(from.c_str()), "cannot rename", from);
}

class PosixFileSystem : public FileSystem {
 public:
  std::string absolute(const std::string& path) override {
    if (path.empty() || path.front() == '/') return path;
    const std::unique_ptr<char, void (*)(void*)> directory(::getcwd(nullptr, 0), std::free);
    return directory ? join_path(directory.get(), path) : path;
  }
  std::unique_ptr<File> open(const std::string& path, bool follow_links) override {
    return open_file(path, O_RDONLY | kDoNotWait | (follow_links ? 0 : O_NOFOLLOW));
  }
  std::unique_ptr<File> create(const std::string& path) override {
    return open_file(path, O_RDWR | O_CREAT | O_EXCL);  // without kDoNotWait, which io_uring would take to heart
  }
  std::unique_ptr<File> open_writable(const std::string& path) override {
    return open_file(path, O_RDWR | O_NOFOLLOW | kDoNotWait);
  }

  std::optional<FileInfo> find_info(const std::string& path, bool follow_links) override {
    struct stat status;
    const int result = follow_links ? ::stat(path.c_str(), &status) : ::lstat(path.c_str(), &status);
    if (result == 0) return file_info(status);
    if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG) return std::nullopt;  // a name that nothing can have
    fail("cannot stat", path, errno);
  }

  std::string real_path(const std::string& path) override {
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), std::free);
    if (!real) fail("cannot resolve", path, errno);
    return real.get();
  }

  std::vector<DirectoryEntry> list(const std::string& path) override {
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), ::closedir);
    if (!directory) fail("cannot list", path, errno);
    std::vector<DirectoryEntry> entries;
    for (;;) {
      errno = 0;
      const dirent* entry = ::readdir(directory.get());
      if (!entry && errno != 0) fail("cannot list", path, errno);
      if (!entry) break;
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") entries.push_back({std::string(name), entry_type(directory.get(), *entry)});
    }
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return entries;
  }

  void make_directory(const std::string& path) override { check(::mkdir(path.c_str(), 0777), "cannot make directory", path); }
  void remove_file(const std::string& path) override { check(::unlink(path.c_str()), "cannot remove", path); }
  void remove_directory(const std::string& path) override { check(::rmdir(path.c_str()), "cannot remove", path); }

  void rename(const std::string& from, const std::string& to) override {
    check(::rename(from.c_str(), to.c_str()), "cannot rename '" + from + "' to", to);
  }

  void rename_new(const std::string& from, const std::string& to) override {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return;
    if (!is_unsupported(errno)) fail("cannot rename '" + from + "' to", to, errno);
    const std::optional<FileInfo> info = find_info(from, false);
    if (!info) fail("cannot rename", from, ENOENT);
    rename_new_without_flag(from, to, info->type == FileType::kDirectory);
  }

  bool exchange(const std::string& a, const std::string& b) override {
    if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) return true;
    if (!is_unsupported(errno)) fail("cannot exchange '" + a + "' with", b, errno);
    return false;
  }

  void link(const std::string& from, const std::string& to) override {
    check(::link(from.c_str(), to.c_str()), "cannot link '" + from + "' to", to);
  }

  void sync_directory(const std::string& path) override {
    const int fd = retried([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
    if (fd < 0) fail("cannot open", path, errno);
    const int result = retried([&] { return ::fsync(fd); });
    const int errno_value = errno;
    ::close(fd);
    if (result != 0 && errno_value != EINVAL) fail("cannot sync", path, errno_value);  // EINVAL: directories have no sync (CIFS)
  }

 private:
  static FileType entry_type(DIR* directory, const dirent& entry) {
    if (entry.d_type != DT_UNKNOWN) return file_type(DTTOIF(entry.d_type));
    struct stat status;
    if (::fstatat(::dirfd(directory), entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) return FileType::kOther;
    return file_type(status.st_mode);
  }
};

}  // namespace

FileSystem& posix_file_system() {
  static auto& fs = make_immortal<PosixFileSystem>();
  return fs;
}

}  // namespace perdure
