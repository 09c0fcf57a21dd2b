#pragma once
// A fresh directory for one test, removed when it goes; and what lies in it, to be compared.
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/base/file_system.h"

namespace perdure::test {

class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(const std::string& parent = default_parent()) {
    std::string pattern = join_path(parent, "perdure-test-XXXXXX");
    if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary directory");
    path_ = pattern;
  }
  ~TemporaryDirectory() { remove_tree(posix_file_system(), path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return join_path(path_, name); }

  /// On the disk; in memory for tests of many saves, each of which would wait for it.
  static std::string default_parent() {
    const char* base = std::getenv("TMPDIR");
    return base ? base : "/tmp";
  }
  static std::string parent_in_memory() { return "/dev/shm"; }

 private:
  std::string path_;
};

/// Every file below `root` with its bytes.
inline std::map<std::string, std::string> snapshot(const std::string& root) {
  std::map<std::string, std::string> files;
  if (!posix_file_system().find_info(root)) return files;
  for (const std::string& name : list_tree(posix_file_system(), root)) {
    files[name] = read_file(posix_file_system(), join_path(root, name), 1 << 30);
  }
  return files;
}

/// Names of the entries of a directory.
inline std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const DirectoryEntry& entry : posix_file_system().list(directory)) names.push_back(entry.name);
  return names;
}

}  // namespace perdure::test
