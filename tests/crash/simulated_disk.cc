#include "tests/crash/simulated_disk.h"

#include <algorithm>
#include <cerrno>

#include "perdure/base/clock.h"
#include "perdure/base/error.h"

namespace perdure::test {

/// A file or a directory.
struct DiskNode {
  FileType type = FileType::kFile;
  std::string content, synced_content;
  DiskEntries entries, synced_entries;
  std::vector<std::vector<std::pair<std::string, std::shared_ptr<DiskNode>>>> unsynced_changes;  // of entries
  std::int64_t modified_ns = 0;
  std::uint64_t inode = 0;
  bool is_locked = false;
};

namespace {

constexpr std::size_t kBlockBytes = 4096;

[[noreturn]] void fail(ErrorKind kind, const std::string& path) { throw Error(kind, "'" + path + "'"); }

std::shared_ptr<DiskNode> make_node(FileType type) {
  static std::uint64_t count = 0;
  auto node = std::make_shared<DiskNode>();
  node->type = type;
  node->inode = ++count;
  node->modified_ns = static_cast<std::int64_t>(system_clock().now_ns());
  return node;
}

FileInfo info_of(const DiskNode& node) {
  return {.type = node.type,
          .size_bytes = node.content.size(),
          .modified_ns = node.modified_ns,
          .device = 1,
          .inode = node.inode,
          .link_count = 1};
}

class SimulatedFile : public File {
 public:
  SimulatedFile(SimulatedDisk& disk, std::string path, std::shared_ptr<DiskNode> node)
      : disk_(disk), path_(std::move(path)), node_(std::move(node)) {}
  ~SimulatedFile() override {
    if (holds_lock_) node_->is_locked = false;
  }
  const std::string& path() const override { return path_; }
  FileInfo info() override { return info_of(*node_); }
  void read_at(std::uint64_t offset, ByteSpan target) override {
    std::ranges::copy(range(offset, target.size()), target.begin());
  }
  void write_at(std::uint64_t offset, ByteView bytes) override {
    disk_.change(path_);
    node_->content.resize(std::max<std::size_t>(node_->content.size(), offset + bytes.size()));
    std::ranges::copy(as_text(bytes), node_->content.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  void truncate(std::uint64_t size) override {
    disk_.change(path_);
    node_->content.resize(size);
  }
  void reserve(std::uint64_t size) override { truncate(size); }
  void sync() override {
    disk_.change(path_);
    node_->synced_content = node_->content;
  }
  Blob map(std::uint64_t offset, std::uint64_t size) override { return Blob::from(std::string(as_text(range(offset, size)))); }
  bool try_lock() override {
    if (node_->is_locked) return holds_lock_;
    return node_->is_locked = holds_lock_ = true;
  }

 private:
  ByteView range(std::uint64_t offset, std::uint64_t size) {
    if (offset > node_->content.size() || size > node_->content.size() - offset)
      fail(ErrorKind::kCorrupt, path_ + " ends before");
    return as_bytes(node_->content).subspan(offset, size);
  }

  SimulatedDisk& disk_;
  const std::string path_;
  const std::shared_ptr<DiskNode> node_;
  bool holds_lock_ = false;
};

/// What is left of a file: where it was not synced, each block as it was, as it is, or zeros.
std::string content_after(const DiskNode& file, std::mt19937_64& random) {
  if (file.content == file.synced_content) return file.content;
  std::string left = random() % 2 == 0 ? file.content : file.synced_content;
  for (std::size_t begin = 0; begin < left.size(); begin += kBlockBytes) {
    const std::size_t size = std::min(kBlockBytes, left.size() - begin);
    const std::uint64_t choice = random() % 3;
    if (choice == 0) std::fill_n(left.begin() + static_cast<std::ptrdiff_t>(begin), size, '\0');
    if (choice == 1 && begin < file.synced_content.size())
      left.replace(begin, std::min(size, file.synced_content.size() - begin), file.synced_content, begin, size);
  }
  return left;
}

std::shared_ptr<DiskNode> node_after(const DiskNode& node, std::mt19937_64& random) {
  const std::shared_ptr<DiskNode> left = make_node(node.type);
  left->content = left->synced_content = content_after(node, random);
  DiskEntries entries = node.synced_entries;
  const std::uint64_t count = random() % (node.unsynced_changes.size() + 1);
  for (std::size_t i = 0; i < count; ++i) {
    for (const auto& [name, entry] : node.unsynced_changes[i]) {
      if (entry) entries[name] = entry;
      if (!entry) entries.erase(name);
    }
  }
  for (const auto& [name, entry] : entries) left->entries[name] = node_after(*entry, random);
  left->synced_entries = left->entries;
  return left;
}

}  // namespace

SimulatedDisk::SimulatedDisk(bool exchange_works) : root_(make_node(FileType::kDirectory)), exchange_works_(exchange_works) {}

void SimulatedDisk::lose_power_at(int change) { changes_left_ = change; }

void SimulatedDisk::restart(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  root_ = node_after(*root_, random);
  changes_left_ = -1;
}

void SimulatedDisk::change(const std::string& path) {
  if (changes_left_ == 0) throw io_error("no power for", path, EIO);
  if (changes_left_ > 0) --changes_left_;
}

std::shared_ptr<DiskNode> SimulatedDisk::find(const std::string& path) const {
  std::shared_ptr<DiskNode> node = root_;
  for (std::size_t begin = 0; node && begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin) {
      const auto found = node->entries.find(path.substr(begin, end - begin));
      node = found == node->entries.end() ? nullptr : found->second;
    }
    begin = end + 1;
  }
  return node;
}

std::shared_ptr<DiskNode> SimulatedDisk::at(const std::string& path) const {
  std::shared_ptr<DiskNode> node = find(path);
  if (!node) fail(ErrorKind::kNotFound, path);
  return node;
}

void SimulatedDisk::check_new(const std::string& path) const {
  if (find(path)) fail(ErrorKind::kAlreadyExists, path);
}

void SimulatedDisk::set(const std::vector<std::pair<std::string, std::shared_ptr<DiskNode>>>& paths) {
  const std::shared_ptr<DiskNode> directory = at(parent_path(paths.front().first));
  change(paths.front().first);
  std::vector<std::pair<std::string, std::shared_ptr<DiskNode>>> entries;
  for (const auto& [path, node] : paths) entries.emplace_back(file_name(path), node);
  for (const auto& [name, node] : entries) {
    if (node) directory->entries[name] = node;
    if (!node) directory->entries.erase(name);
  }
  directory->unsynced_changes.push_back(std::move(entries));
}

std::unique_ptr<File> SimulatedDisk::open(const std::string& path, bool) {
  const std::shared_ptr<DiskNode> node = at(path);
  if (node->type != FileType::kFile) throw io_error("cannot open", path, EISDIR);
  return std::make_unique<SimulatedFile>(*this, path, node);
}

std::unique_ptr<File> SimulatedDisk::create(const std::string& path) {
  check_new(path);
  set({{path, make_node(FileType::kFile)}});
  return open(path, false);
}

std::optional<FileInfo> SimulatedDisk::find_info(const std::string& path, bool) {
  const std::shared_ptr<DiskNode> node = find(path);
  return node ? std::optional(info_of(*node)) : std::nullopt;
}

std::vector<DirectoryEntry> SimulatedDisk::list(const std::string& path) {
  std::vector<DirectoryEntry> entries;
  for (const auto& [name, node] : at(path)->entries) entries.push_back({name, node->type});
  return entries;
}

void SimulatedDisk::make_directory(const std::string& path) {
  check_new(path);
  set({{path, make_node(FileType::kDirectory)}});
}

void SimulatedDisk::rename(const std::string& from, const std::string& to) { set({{to, at(from)}, {from, nullptr}}); }

void SimulatedDisk::rename_new(const std::string& from, const std::string& to) {
  check_new(to);
  rename(from, to);
}

bool SimulatedDisk::exchange(const std::string& a, const std::string& b) {
  if (exchange_works_) set({{a, at(b)}, {b, at(a)}});
  return exchange_works_;
}

void SimulatedDisk::link(const std::string& from, const std::string& to) {
  check_new(to);
  set({{to, at(from)}});
}

void SimulatedDisk::sync_directory(const std::string& path) {
  const std::shared_ptr<DiskNode> directory = at(path);
  change(path);
  directory->synced_entries = directory->entries;
  directory->unsynced_changes.clear();
}

}  // namespace perdure::test
