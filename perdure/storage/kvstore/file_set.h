#pragma once
// The files below one directory: each looked at once, opened on demand, shared by all threads.
//
// Names come from data that nobody vouches for, so nothing outside the directory can be reached: no "..", no absolute path, and
// no link unless the caller follows links.
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "perdure/base/file_system.h"

namespace perdure::storage {

/// Any thread may call any member. Assumes that the files do not change.
class FileSet {
 public:
  FileSet(FileSystem& fs, std::string root, bool follow_links);

  const std::string& root() const { return root_; }
  FileSystem& file_system() const { return fs_; }
  /// The path for the file system. Throws kCorrupt for a relative path with a fault.
  std::string path(std::string_view relative) const;

  // The members below take what path() gave; kInvalid for other paths.
  /// Size in bytes; nullopt if no regular file is there. Throws kCorrupt for a link.
  std::optional<std::uint64_t> find_size(const std::string& path);
  /// Fills `target` from `offset` on. Throws kCorrupt naming the file when it is missing or ends before.
  void read_at(const std::string& path, std::uint64_t offset, ByteSpan target);
  /// The bytes [offset, offset + size), checked against the file before they are allocated.
  Blob read(const std::string& path, std::uint64_t offset, std::uint64_t size_bytes);
  /// Throws kCorrupt naming the file if the range is not in it.
  void check_range(const std::string& path, std::uint64_t offset, std::uint64_t size_bytes);

 private:
  struct OpenFile {
    std::string path;
    std::shared_ptr<File> file;
  };
  std::uint64_t size(const std::string& path);
  std::shared_ptr<File> open(const std::string& path);
  void check_directories(const std::string& path);
  std::optional<std::uint64_t> look_at(const std::string& path);

  FileSystem& fs_;
  const std::string root_;
  const std::string prefix_;  // of every path: the root with a slash
  const bool follow_links_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::uint64_t> sizes_;                      // guarded by mutex_
  std::unordered_set<std::string> directories_;                               // guarded by mutex_: seen to be no links
  std::list<OpenFile> open_files_;                                            // guarded by mutex_: latest use first
  std::unordered_map<std::string_view, std::list<OpenFile>::iterator> open_;  // guarded by mutex_: keys lie in open_files_
};

}  // namespace perdure::storage
