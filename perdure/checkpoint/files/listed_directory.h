#pragma once
// A directory of a checkpoint, read with distrust: links are refused, small files are compared with the list in _PERDURE.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/base/file_system.h"
#include "perdure/checkpoint/files/file_list.h"

namespace perdure::checkpoint {

/// Any thread may call any member.
class ListedDirectory {
 public:
  /// Reads _PERDURE if there is one. Throws kCorrupt when it is damaged.
  ListedDirectory(FileSystem& fs, std::string path, bool follow_links);
  /// For a directory whose list is damaged.
  static ListedDirectory without_list(FileSystem& fs, std::string path, bool follow_links);

  const std::string& path() const { return path_; }
  FileSystem& file_system() const { return *fs_; }
  bool follow_links() const { return follow_links_; }
  /// True when perdure wrote the directory.
  bool has_list() const { return list_.has_value(); }
  const std::vector<ListedFile>& list() const { return *list_; }
  const ListedFile* find_listed(std::string_view name) const;

  /// The small file `name`: nullopt if it is absent. Throws kCorrupt if it is listed and not what was written (gone, size,
  /// CRC-32C), if it is a link, or not a plain file.
  std::optional<std::string> find(std::string_view name) const;
  /// find, or kCorrupt "missing file".
  std::string read(std::string_view name) const;
  /// Throws as find() does, without reading the content.
  bool contains(std::string_view name) const;
  /// Reads a listed file of any size, piece by piece; throws kCorrupt if it is not what was written. Gives its size.
  std::uint64_t check(const ListedFile& listed) const;

 private:
  ListedDirectory() = default;
  FileSystem* fs_ = nullptr;
  std::string path_;
  bool follow_links_ = false;
  std::optional<std::vector<ListedFile>> list_;
};

/// CRC-32C of the first `size_bytes` of a file. Throws kCorrupt when it ends before.
std::uint32_t crc32c_of(File& file, std::uint64_t size_bytes);

}  // namespace perdure::checkpoint
