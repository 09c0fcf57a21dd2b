#pragma once
// File systems that do all as the real one but for what a test changes.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perdure/base/file_system.h"

namespace perdure::test {

struct ForwardingFile : File {
  explicit ForwardingFile(std::unique_ptr<File> real) : file(std::move(real)) {}
  const std::string& path() const override { return file->path(); }
  FileInfo info() override { return file->info(); }
  void read_at(std::uint64_t offset, ByteSpan target) override { file->read_at(offset, target); }
  void write_at(std::uint64_t offset, ByteView bytes) override { file->write_at(offset, bytes); }
  void truncate(std::uint64_t size) override { file->truncate(size); }
  void reserve(std::uint64_t size) override { file->reserve(size); }
  void sync() override { file->sync(); }
  Blob map(std::uint64_t offset, std::uint64_t size) override { return file->map(offset, size); }
  bool try_lock() override { return file->try_lock(); }
  int native_handle() const override { return file->native_handle(); }
  const std::unique_ptr<File> file;
};

struct ForwardingFileSystem : FileSystem {
  std::unique_ptr<File> create(const std::string& path) override { return posix.create(path); }
  std::unique_ptr<File> open(const std::string& path, bool follow) override { return posix.open(path, follow); }
  std::unique_ptr<File> open_writable(const std::string& path) override { return posix.open_writable(path); }
  std::optional<FileInfo> find_info(const std::string& path, bool follow) override { return posix.find_info(path, follow); }
  std::string real_path(const std::string& path) override { return posix.real_path(path); }
  std::vector<DirectoryEntry> list(const std::string& path) override { return posix.list(path); }
  void make_directory(const std::string& path) override { posix.make_directory(path); }
  void remove_file(const std::string& path) override { posix.remove_file(path); }
  void remove_directory(const std::string& path) override { posix.remove_directory(path); }
  void rename(const std::string& from, const std::string& to) override { posix.rename(from, to); }
  void rename_new(const std::string& from, const std::string& to) override { posix.rename_new(from, to); }
  bool exchange(const std::string& a, const std::string& b) override { return posix.exchange(a, b); }
  void link(const std::string& from, const std::string& to) override { posix.link(from, to); }
  std::string absolute(const std::string& path) override { return posix.absolute(path); }
  void sync_directory(const std::string& path) override { posix.sync_directory(path); }
  FileSystem& posix = posix_file_system();
};

}  // namespace perdure::test
