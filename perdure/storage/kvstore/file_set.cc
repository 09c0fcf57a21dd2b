#include "perdure/storage/kvstore/file_set.h"

#include <algorithm>

#include "perdure/base/error.h"
#include "perdure/storage/kvstore/key_text.h"

namespace perdure::storage {
namespace {

// A merge of many hosts has thousands of data files; a process usually may open 1024.
constexpr std::size_t kOpenFilesMax = 128;

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Error(ErrorKind::kCorrupt, "file " + key_text(path) + " " + what);
}

}  // namespace

FileSet::FileSet(FileSystem& fs, std::string root, bool follow_links)
    : fs_(fs), root_(std::move(root)), prefix_(root_.ends_with('/') ? root_ : root_ + '/'), follow_links_(follow_links) {}

std::string FileSet::path(std::string_view relative) const {
  if (const auto fault = find_path_fault(relative)) {
    throw Error(ErrorKind::kCorrupt, "file name " + key_text(relative) + " " + std::string(*fault));
  }
  return prefix_ + std::string(relative);
}

void FileSet::check_directories(const std::string& path) {
  for (std::size_t slash = path.find('/', prefix_.size()); slash != path.npos; slash = path.find('/', slash + 1)) {
    const std::string directory = path.substr(0, slash);
    {
      const std::lock_guard lock(mutex_);
      if (directories_.contains(directory)) continue;
    }
    const auto info = fs_.find_info(directory, /*follow_links=*/false);
    if (info && info->type == FileType::kLink) fail(directory, "is a link; links are not followed");
    const std::lock_guard lock(mutex_);
    directories_.insert(directory);
  }
}

std::optional<std::uint64_t> FileSet::look_at(const std::string& path) {
  if (!path.starts_with(prefix_) || find_path_fault(std::string_view(path).substr(prefix_.size()))) {
    throw Error(ErrorKind::kInvalid, "file " + key_text(path) + " is not in this store");
  }
  if (!follow_links_) check_directories(path);
  const auto info = fs_.find_info(path, follow_links_);
  if (!info) return std::nullopt;
  if (info->type == FileType::kLink) fail(path, "is a link; links are not followed");
  if (info->type != FileType::kFile) return std::nullopt;
  return info->size_bytes;
}

std::optional<std::uint64_t> FileSet::find_size(const std::string& path) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = sizes_.find(path); found != sizes_.end()) return found->second;
  }
  const auto size = look_at(path);
  if (size) {
    const std::lock_guard lock(mutex_);
    sizes_.emplace(path, *size);
  }
  return size;
}

std::uint64_t FileSet::size(const std::string& path) {
  const auto size = find_size(path);
  if (!size) fail(path, "is missing");
  return *size;
}

void FileSet::check_range(const std::string& path, std::uint64_t offset, std::uint64_t size_bytes) {
  const std::uint64_t file_size = size(path);
  if (offset <= file_size && size_bytes <= file_size - offset) return;
  fail(path, "has " + std::to_string(file_size) + " bytes, wanted " + std::to_string(size_bytes) + " from " +
                 std::to_string(offset) + " on");
}

std::shared_ptr<File> FileSet::open(const std::string& path) {
  size(path);  // first: it refuses what must not be opened
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = open_.find(path); found != open_.end()) {
      open_files_.splice(open_files_.begin(), open_files_, found->second);
      return found->second->file;
    }
  }
  std::shared_ptr<File> file = fs_.open(path, follow_links_);
  const std::lock_guard lock(mutex_);
  if (const auto found = open_.find(path); found != open_.end()) return found->second->file;  // another thread was faster
  open_files_.push_front({path, file});
  open_.emplace(open_files_.front().path, open_files_.begin());
  if (open_files_.size() > kOpenFilesMax) {
    open_.erase(open_files_.back().path);
    open_files_.pop_back();
  }
  return file;
}

void FileSet::read_at(const std::string& path, std::uint64_t offset, ByteSpan target) {
  check_range(path, offset, target.size());
  if (!target.empty()) open(path)->read_at(offset, target);
}

Blob FileSet::read(const std::string& path, std::uint64_t offset, std::uint64_t size_bytes) {
  check_range(path, offset, size_bytes);
  const auto bytes = std::make_shared_for_overwrite<std::byte[]>(size_bytes);
  read_at(path, offset, ByteSpan(bytes.get(), size_bytes));
  return Blob(ByteView(bytes.get(), size_bytes), bytes);
}

}  // namespace perdure::storage
