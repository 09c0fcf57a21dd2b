#pragma once
// A file system whose n-th change fails, as on a full or broken disk, or from then on every change, as if the process had died.
// Everything else goes to the real one.
//
// Files have no native handle, so that all writes come through here. Reads do not count. FaultPlan::exchange_works false
// plays a file system without RENAME_EXCHANGE.
#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perdure/base/error.h"
#include "perdure/base/file_system.h"

namespace perdure::test {

struct FaultPlan {
  int fail_at = -1;  // which change fails, counted from 0; -1: none
  bool exchange_works = true;
  bool dies = false;        // every change after it fails too
  int count = 0;            // changes so far
  std::string failed = {};  // which operation failed: "sync 'x/y'"

  void change(const char* what, const std::string& path) {
    const int index = count++;
    if (fail_at < 0 || (dies ? index < fail_at : index != fail_at)) return;
    failed = std::string(what) + " '" + path + "'";
    throw io_error(what, path, ENOSPC);
  }
};

class FaultyFile : public File {
 public:
  FaultyFile(std::unique_ptr<File> file, FaultPlan& plan) : file_(std::move(file)), plan_(plan) {}
  const std::string& path() const override { return file_->path(); }
  FileInfo info() override { return file_->info(); }
  void read_at(std::uint64_t offset, ByteSpan target) override { file_->read_at(offset, target); }
  void write_at(std::uint64_t offset, ByteView bytes) override {
    plan_.change("write", path());
    file_->write_at(offset, bytes);
  }
  void truncate(std::uint64_t size_bytes) override {
    plan_.change("truncate", path());
    file_->truncate(size_bytes);
  }
  void reserve(std::uint64_t size_bytes) override {
    plan_.change("reserve", path());
    file_->reserve(size_bytes);
  }
  void sync() override {
    plan_.change("sync", path());
    file_->sync();
  }
  Blob map(std::uint64_t offset, std::uint64_t size_bytes) override { return file_->map(offset, size_bytes); }
  bool try_lock() override { return file_->try_lock(); }

 private:
  std::unique_ptr<File> file_;
  FaultPlan& plan_;
};

class FaultyFileSystem : public FileSystem {
 public:
  explicit FaultyFileSystem(FaultPlan& plan) : plan_(plan) {}

  std::unique_ptr<File> open(const std::string& path, bool follow_links) override {
    return wrapped(real_.open(path, follow_links));
  }
  std::unique_ptr<File> create(const std::string& path) override {
    plan_.change("create", path);
    return wrapped(real_.create(path));
  }
  std::unique_ptr<File> open_writable(const std::string& path) override { return wrapped(real_.open_writable(path)); }
  std::optional<FileInfo> find_info(const std::string& path, bool follow_links) override {
    return real_.find_info(path, follow_links);
  }
  std::string real_path(const std::string& path) override { return real_.real_path(path); }
  std::vector<DirectoryEntry> list(const std::string& path) override { return real_.list(path); }
  void make_directory(const std::string& path) override {
    plan_.change("make directory", path);
    real_.make_directory(path);
  }
  void remove_file(const std::string& path) override {
    plan_.change("remove file", path);
    real_.remove_file(path);
  }
  void remove_directory(const std::string& path) override {
    plan_.change("remove directory", path);
    real_.remove_directory(path);
  }
  void rename(const std::string& from, const std::string& to) override {
    plan_.change("rename", from);
    real_.rename(from, to);
  }
  void rename_new(const std::string& from, const std::string& to) override {
    plan_.change("rename", from);
    real_.rename_new(from, to);
  }
  bool exchange(const std::string& a, const std::string& b) override {
    if (!plan_.exchange_works) return false;
    plan_.change("exchange", a);
    return real_.exchange(a, b);
  }
  void link(const std::string& from, const std::string& to) override {
    plan_.change("link", to);
    real_.link(from, to);
  }
  std::string absolute(const std::string& path) override { return real_.absolute(path); }
  void sync_directory(const std::string& path) override {
    plan_.change("sync directory", path);
    real_.sync_directory(path);
  }

 private:
  std::unique_ptr<File> wrapped(std::unique_ptr<File> file) { return std::make_unique<FaultyFile>(std::move(file), plan_); }
  FileSystem& real_ = posix_file_system();
  FaultPlan& plan_;
};

}  // namespace perdure::test
