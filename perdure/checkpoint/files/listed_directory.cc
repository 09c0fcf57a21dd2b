#include "perdure/checkpoint/files/listed_directory.h"

#include <algorithm>

#include "perdure/base/checksum.h"
#include "perdure/base/error.h"
#include "perdure/checkpoint/files/layout.h"

namespace perdure::checkpoint {
namespace {

constexpr std::uint64_t kSmallFileBytesMax = std::uint64_t{1} << 30;  // _METADATA of a million leaves has 200 MB

constexpr std::uint64_t kBufferBytes = 256 << 10;

void check_size(const ListedFile& listed, std::uint64_t size) {
  if (size == listed.size_bytes) return;
  throw Error(ErrorKind::kCorrupt,
              "size is " + std::to_string(size) + " bytes, written were " + std::to_string(listed.size_bytes));
}

void check_listed(const ListedFile& listed, std::string_view content) {
  check_size(listed, content.size());
  check_crc32c(listed.crc32c, crc32c(as_bytes(content)));
}

}  // namespace

ListedDirectory::ListedDirectory(FileSystem& fs, std::string path, bool follow_links)
    : fs_(&fs), path_(std::move(path)), follow_links_(follow_links) {
  const std::optional<std::string> text = find(kFileListFile);
  if (!text) return;
  list_ = with_note([&] { return "file " + join_path(path_, kFileListFile); }, [&] { return parse_file_list(*text); });
}

ListedDirectory ListedDirectory::without_list(FileSystem& fs, std::string path, bool follow_links) {
  ListedDirectory directory;
  directory.fs_ = &fs;
  directory.path_ = std::move(path);
  directory.follow_links_ = follow_links;
  return directory;
}

const ListedFile* ListedDirectory::find_listed(std::string_view name) const {
  if (!list_) return nullptr;
  const auto found = std::lower_bound(list_->begin(), list_->end(), name,
                                      [](const ListedFile& file, std::string_view key) { return file.name < key; });
  return found != list_->end() && found->name == name ? &*found : nullptr;
}

bool ListedDirectory::contains(std::string_view name) const {
  const std::string file = join_path(path_, name);
  std::optional<FileInfo> info = fs_->find_info(file, false);
  if (info && info->type == FileType::kLink && follow_links_) info = fs_->find_info(file);
  if (!info) {
    if (find_listed(name) != nullptr) throw Error(ErrorKind::kCorrupt, "missing file '" + file + "'");
    return false;
  }
  if (info->type == FileType::kLink)
    throw Error(ErrorKind::kCorrupt, "'" + file + "' is a link; links are followed only with follow_links");
  if (info->type != FileType::kFile) throw Error(ErrorKind::kCorrupt, "'" + file + "' is not a file");
  return true;
}

std::optional<std::string> ListedDirectory::find(std::string_view name) const {
  if (!contains(name)) return std::nullopt;
  const std::string file = join_path(path_, name);
  std::string content = read_file(*fs_, file, kSmallFileBytesMax);
  if (const ListedFile* listed = find_listed(name)) {
    with_note([&] { return "file " + file; }, [&] { check_listed(*listed, content); });
  }
  return content;
}

std::uint64_t ListedDirectory::check(const ListedFile& listed) const {
  if (!contains(listed.name)) throw Error(ErrorKind::kCorrupt, "missing file");
  const std::unique_ptr<File> file = fs_->open(join_path(path_, listed.name), follow_links_);
  const std::uint64_t size = file->size_bytes();
  check_size(listed, size);
  check_crc32c(listed.crc32c, crc32c_of(*file, size));
  return size;
}

std::string ListedDirectory::read(std::string_view name) const {
  std::optional<std::string> content = find(name);
  if (!content) throw Error(ErrorKind::kCorrupt, "missing file '" + join_path(path_, name) + "'");
  return std::move(*content);
}

std::uint32_t crc32c_of(File& file, std::uint64_t size_bytes) {
  std::vector<std::byte> buffer(std::min(kBufferBytes, size_bytes));
  std::uint32_t crc = 0;
  for (std::uint64_t offset = 0; offset < size_bytes; offset += buffer.size()) {
    const ByteSpan piece = ByteSpan(buffer).first(std::min<std::uint64_t>(buffer.size(), size_bytes - offset));
    file.read_at(offset, piece);
    crc = crc32c(piece, crc);
  }
  return crc;
}

}  // namespace perdure::checkpoint
