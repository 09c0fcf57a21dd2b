#pragma once
// A disk in memory that can lose its power: only what was synced is sure to be there afterwards.
//
// Of a file that was not synced, each block may be old, new or zeros. Of a directory that was not synced, the first so many of its
// changes are there; each directory decides for itself. A rename or an exchange is one change.
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "perdure/base/file_system.h"

namespace perdure::test {

struct DiskNode;
using DiskEntries = std::map<std::string, std::shared_ptr<DiskNode>>;

/// For one thread.
class SimulatedDisk : public FileSystem {
 public:
  explicit SimulatedDisk(bool exchange_works = true);

  /// The change with this number and all later ones fail: there is no power. Counted from now on, from 0.
  void lose_power_at(int change);
  bool has_power() const { return changes_left_ != 0; }
  /// What is on the disk when the power comes back, as `seed` decides. Nothing stays open or locked.
  void restart(std::uint64_t seed);

  std::unique_ptr<File> open(const std::string& path, bool follow_links) override;
  std::unique_ptr<File> create(const std::string& path) override;
  std::unique_ptr<File> open_writable(const std::string& path) override { return open(path, false); }
  std::optional<FileInfo> find_info(const std::string& path, bool follow_links) override;
  std::string real_path(const std::string& path) override { return path; }
  std::vector<DirectoryEntry> list(const std::string& path) override;
  void make_directory(const std::string& path) override;
  void remove_file(const std::string& path) override { remove(path); }
  void remove_directory(const std::string& path) override { remove(path); }
  void rename(const std::string& from, const std::string& to) override;
  void rename_new(const std::string& from, const std::string& to) override;
  bool exchange(const std::string& a, const std::string& b) override;
  void link(const std::string& from, const std::string& to) override;
  void sync_directory(const std::string& path) override;

  /// Counts a change. Throws kIo without power.
  void change(const std::string& path);

 private:
  std::shared_ptr<DiskNode> find(const std::string& path) const;
  std::shared_ptr<DiskNode> at(const std::string& path) const;
  /// Sets names of one directory, in one change; nullptr takes one away.
  void set(const std::vector<std::pair<std::string, std::shared_ptr<DiskNode>>>& paths);
  void remove(const std::string& path) { set({{(at(path), path), nullptr}}); }
  void check_new(const std::string& path) const;

  std::shared_ptr<DiskNode> root_;
  bool exchange_works_;
  int changes_left_ = -1;  // -1: any number
};

}  // namespace perdure::test
