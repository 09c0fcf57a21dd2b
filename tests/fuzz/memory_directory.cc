#include "tests/fuzz/memory_directory.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "perdure/base/byte_io.h"
#include "perdure/base/checksum.h"
#include "perdure/base/error.h"
#include "perdure/checkpoint/files/file_list.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/storage/ocdbt/envelope.h"
#include "tests/fuzz/fuzz.h"

namespace perdure::fuzz {
namespace {

constexpr std::size_t kCrcSize = 4;

/// Every component is a name, as on a disk.
bool is_file_name(std::string_view name) {
  if (name.empty() || name.size() > 1000 || name.find('\0') != name.npos) return false;
  const std::string path = "/" + std::string(name) + "/";
  for (const std::string_view wrong : {"//", "/./", "/../"}) {
    if (path.find(wrong) != path.npos) return false;
  }
  return true;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// ---- checksums

void put_crc(std::string& text, std::size_t begin, std::size_t end) {
  ByteWriter crc;
  crc.u32le(crc32c(as_bytes(std::string_view(text).substr(begin, end - begin))));
  text.replace(end, kCrcSize, crc.str());
}

/// Gives every envelope in a file its CRC: magic, length of the whole, ..., CRC.
void reseal_envelopes(std::string& text) {
  using storage::ocdbt::Magic;
  constexpr std::size_t kHeadSize = 4 + 8;
  for (std::size_t at = 0; at + kHeadSize + kCrcSize <= text.size(); ++at) {
    ByteReader in(as_bytes(text).subspan(at));
    std::uint32_t magic = 0;
    std::uint64_t length = 0;
    in.u32be(magic);
    in.u64le(length);
    const bool known = std::ranges::any_of(std::initializer_list<Magic>{Magic::kManifest, Magic::kVersionNode, Magic::kBtreeNode},
                                           [&](Magic one) { return magic == static_cast<std::uint32_t>(one); });
    if (known && length >= kHeadSize + kCrcSize && length <= text.size() - at) put_crc(text, at, at + length - kCrcSize);
  }
}

std::string list_of(const Files& files, const std::string& prefix, const std::set<std::string>& nested) {
  std::vector<checkpoint::ListedFile> listed;
  for (const auto& file : files) {  // no structured binding: clang 14 does not let the lambda use one
    const std::string& name = file.first;
    if (!name.starts_with(prefix) || name == prefix + std::string(checkpoint::kFileListFile)) continue;
    const bool elsewhere = std::ranges::any_of(nested, [&](const std::string& item) {
      return item.size() > prefix.size() && name.starts_with(item) && name != item + std::string(checkpoint::kFileListFile);
    });
    if (!elsewhere) listed.push_back({name.substr(prefix.size()), file.second.size(), crc32c(as_bytes(file.second))});
  }
  return checkpoint::encode_file_list(std::move(listed));
}

/// Inner lists first: the outer ones list them.
void rewrite_lists(Files& files) {
  std::set<std::string> prefixes;
  for (const auto& [name, content] : files) {
    if (file_name(name) == checkpoint::kFileListFile)
      prefixes.insert(name.substr(0, name.size() - checkpoint::kFileListFile.size()));
  }
  for (auto prefix = prefixes.rbegin(); prefix != prefixes.rend(); ++prefix) {
    files[*prefix + std::string(checkpoint::kFileListFile)] = list_of(files, *prefix, prefixes);
  }
}

// ---- file system

[[noreturn]] void refuse(const std::string& path) { throw Error(ErrorKind::kIo, "read-only file system: '" + path + "'"); }

class MemoryFile : public File {
 public:
  MemoryFile(std::string path, const std::string& content) : path_(std::move(path)), content_(content) {}
  const std::string& path() const override { return path_; }
  FileInfo info() override { return {.type = FileType::kFile, .size_bytes = content_.size(), .link_count = 1}; }
  void read_at(std::uint64_t offset, ByteSpan target) override {
    std::ranges::copy(range(offset, target.size()), target.begin());
  }
  Blob map(std::uint64_t offset, std::uint64_t size_bytes) override {
    return Blob::from(std::string(as_text(range(offset, size_bytes))));
  }
  void write_at(std::uint64_t, ByteView) override { refuse(path_); }
  void truncate(std::uint64_t) override { refuse(path_); }
  void reserve(std::uint64_t) override { refuse(path_); }
  void sync() override { refuse(path_); }
  bool try_lock() override { refuse(path_); }

 private:
  ByteView range(std::uint64_t offset, std::uint64_t size) {
    if (offset > content_.size() || size > content_.size() - offset)
      throw Error(ErrorKind::kCorrupt, "'" + path_ + "' ends before");
    return as_bytes(content_).subspan(offset, size);
  }
  std::string path_;
  const std::string& content_;
};

class MemoryFileSystem : public FileSystem {
 public:
  MemoryFileSystem(const Files& files, std::string root) : files_(files), root_(std::move(root)) {}

  std::unique_ptr<File> open(const std::string& path, bool) override {
    const auto found = files_.find(name_of(path));
    if (found == files_.end()) throw Error(ErrorKind::kNotFound, "no file '" + path + "'");
    return std::make_unique<MemoryFile>(path, found->second);
  }
  std::optional<FileInfo> find_info(const std::string& path, bool) override {
    const std::string name = name_of(path);
    if (const auto found = files_.find(name); found != files_.end()) {
      return FileInfo{.type = FileType::kFile, .size_bytes = found->second.size(), .link_count = 1};
    }
    if (path == root_ || has_below(name + "/")) return FileInfo{.type = FileType::kDirectory, .link_count = 1};
    return std::nullopt;
  }
  std::string real_path(const std::string& path) override { return path; }
  std::vector<DirectoryEntry> list(const std::string& path) override {
    const std::string prefix = path == root_ ? "" : name_of(path) + "/";
    std::map<std::string, FileType> entries;
    for (auto file = files_.lower_bound(prefix); file != files_.end() && file->first.starts_with(prefix); ++file) {
      const std::string rest = file->first.substr(prefix.size());
      const std::size_t slash = rest.find('/');
      entries.try_emplace(rest.substr(0, slash), slash == rest.npos ? FileType::kFile : FileType::kDirectory);
    }
    if (entries.empty() && path != root_) throw Error(ErrorKind::kNotFound, "no directory '" + path + "'");
    std::vector<DirectoryEntry> listed;
    for (const auto& [name, type] : entries) listed.push_back({name, type});
    return listed;
  }

  std::unique_ptr<File> create(const std::string& path) override { refuse(path); }
  std::unique_ptr<File> open_writable(const std::string& path) override { refuse(path); }
  void make_directory(const std::string& path) override { refuse(path); }
  void remove_file(const std::string& path) override { refuse(path); }
  void remove_directory(const std::string& path) override { refuse(path); }
  void rename(const std::string& from, const std::string&) override { refuse(from); }
  void rename_new(const std::string& from, const std::string&) override { refuse(from); }
  bool exchange(const std::string& a, const std::string&) override { refuse(a); }
  void link(const std::string& from, const std::string&) override { refuse(from); }
  void sync_directory(const std::string& path) override { refuse(path); }

 private:
  /// Below the root; empty for what lies beside it, where nothing is.
  std::string name_of(const std::string& path) const {
    fuzz_check(path.starts_with(root_) && (path + "/").find("/../") == path.npos, "a path that leaves the directory");
    return path.starts_with(root_ + "/") ? path.substr(root_.size() + 1) : "";
  }
  bool has_below(const std::string& prefix) const {
    const auto found = files_.lower_bound(prefix);
    return found != files_.end() && found->first.starts_with(prefix);
  }

  const Files& files_;
  const std::string root_;
};

}  // namespace

std::string encode_archive(const Files& files) {
  std::string archive;
  for (const auto& [name, content] : files)
    archive.append(name).append("\n").append(std::to_string(content.size())).append("\n").append(content);
  return archive;
}

Files parse_archive(std::string_view archive) {
  Files files;
  while (!archive.empty()) {
    const std::string name(take_line(archive));
    const std::string_view digits = take_line(archive);
    std::size_t size = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), size);
    size = std::min(size, archive.size());
    const bool inside_a_file = std::ranges::any_of(
        files, [&](const auto& file) { return name.starts_with(file.first + "/") || file.first.starts_with(name + "/"); });
    if (is_file_name(name) && !inside_a_file) files[name] = archive.substr(0, size);
    archive.remove_prefix(size);
  }
  return files;
}

void reseal(Files& files) {
  for (auto& [name, content] : files) {
    reseal_envelopes(content);
    if (file_name(name) == checkpoint::kItemDocumentFile && content.size() >= kCrcSize)
      put_crc(content, 0, content.size() - kCrcSize);
  }
  rewrite_lists(files);
}

std::unique_ptr<FileSystem> make_memory_file_system(const Files& files, std::string root) {
  return std::make_unique<MemoryFileSystem>(files, std::move(root));
}

}  // namespace perdure::fuzz
