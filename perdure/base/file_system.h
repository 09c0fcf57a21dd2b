#pragma once
// Files, directories, links and locks. The engine does file work through this interface only, so that a test can put a
// simulated file system below it and crash it between any two operations.
//
// Paths are byte strings as the operating system takes them. What is not there throws kNotFound, what is there already
// kAlreadyExists; every other refusal throws kIo with the path and errno.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/base/bytes.h"

namespace perdure {

enum class FileType { kFile, kDirectory, kLink, kOther };

struct FileInfo {
  FileType type = FileType::kOther;
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;  // since 1970-01-01
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t link_count = 0;
};

/// Whether both are of one file or directory, under whatever names.
inline bool is_same_file(const FileInfo& a, const FileInfo& b) { return a.device == b.device && a.inode == b.inode; }

struct DirectoryEntry {
  std::string name;
  FileType type = FileType::kOther;  // of the entry itself: links are not followed
};

/// An open regular file. read_at may be called by any thread; the rest by one at a time.
class File {
 public:
  virtual ~File() = default;
  virtual const std::string& path() const = 0;
  virtual FileInfo info() = 0;
  std::uint64_t size_bytes() { return info().size_bytes; }
  /// Fills `target` from `offset` on. Throws kCorrupt when the file ends before; what there is stands in `target` then.
  virtual void read_at(std::uint64_t offset, ByteSpan target) = 0;
  virtual void write_at(std::uint64_t offset, ByteView bytes) = 0;
  virtual void truncate(std::uint64_t size_bytes) = 0;
  /// Reserves blocks so that a full disk shows now; the file grows to `size_bytes`. Where the file system cannot, it does
  /// nothing.
  virtual void reserve(std::uint64_t size_bytes) = 0;
  /// Content and size are on the disk when it returns (fsync).
  virtual void sync() = 0;
  /// A private, writable mapping: writes to it never reach the file. Zero-copy; `offset` need not be page-aligned.
  /// Throws kCorrupt when the file ends before.
  virtual Blob map(std::uint64_t offset, std::uint64_t size_bytes) = 0;
  /// Takes an exclusive advisory lock without waiting; false if another open file has it. Held until the File goes.
  virtual bool try_lock() = 0;
  /// The descriptor for direct or queued I/O, -1 where there is none (simulated files).
  virtual int native_handle() const { return -1; }
};

/// Any thread may call any member.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  /// A path that still means the same when the working directory has changed.
  virtual std::string absolute(const std::string& path) { return path; }

  /// Throws kNotFound if there is nothing. Never follows a link in the last component unless `follow_links`.
  virtual std::unique_ptr<File> open(const std::string& path, bool follow_links = true) = 0;
  /// Makes a new file, readable and writable, mode 0666 less the umask. Throws kAlreadyExists if there is one.
  virtual std::unique_ptr<File> create(const std::string& path) = 0;
  /// Opens an existing file for writing (lock files), never through a link. Throws kNotFound.
  virtual std::unique_ptr<File> open_writable(const std::string& path) = 0;

  virtual std::optional<FileInfo> find_info(const std::string& path, bool follow_links = true) = 0;
  /// Where `path` leads: absolute, without links. Throws kNotFound.
  virtual std::string real_path(const std::string& path) = 0;
  /// Sorted by name, without "." and "..". Throws kNotFound.
  virtual std::vector<DirectoryEntry> list(const std::string& path) = 0;

  virtual void make_directory(const std::string& path) = 0;  // kAlreadyExists if there is anything
  virtual void remove_file(const std::string& path) = 0;
  virtual void remove_directory(const std::string& path) = 0;  // must be empty
  /// Atomic; replaces a file, refuses to replace a directory that is not empty.
  virtual void rename(const std::string& from, const std::string& to) = 0;
  /// Atomic; throws kAlreadyExists if `to` exists.
  virtual void rename_new(const std::string& from, const std::string& to) = 0;
  /// Swaps two directories atomically; false if this file system cannot.
  virtual bool exchange(const std::string& a, const std::string& b) = 0;
  virtual void link(const std::string& from, const std::string& to) = 0;
  /// Names in the directory are on the disk when it returns, unless the file system does not know how to sync directories.
  virtual void sync_directory(const std::string& path) = 0;
};

FileSystem& posix_file_system();

// ---- on top of any file system

std::string join_path(std::string_view directory, std::string_view name);
/// "a/b" of "a/b/c"; "." of "c"; "/" of "/c". Trailing slashes of `path` do not count.
std::string parent_path(std::string_view path);
/// "c" of "a/b/c" and of "a/b/c/".
std::string file_name(std::string_view path);
/// What is wrong with `path` as a path below a directory: "is empty", "has a '..'"; nullopt if nothing is.
std::optional<std::string_view> find_path_fault(std::string_view path);

/// Makes `path` and every missing ancestor; returns the ones that were made, outermost first.
std::vector<std::string> make_directories(FileSystem& fs, const std::string& path);
/// Removes a tree without following links. What is gone already is no error.
void remove_tree(FileSystem& fs, const std::string& path);
/// The whole file; kNotFound, kIo, and kCorrupt when it is larger than `size_max`.
std::string read_file(FileSystem& fs, const std::string& path, std::uint64_t size_max);
/// Writes a new file; not synced.
void write_new_file(FileSystem& fs, const std::string& path, ByteView content);
/// All files below `root` as paths relative to it, sorted; links are listed, not followed. Ignores nothing.
std::vector<std::string> list_tree(FileSystem& fs, const std::string& root);
/// Syncs every file below `root`, then each directory bottom up, `root` last.
void sync_tree(FileSystem& fs, const std::string& root);

}  // namespace perdure
