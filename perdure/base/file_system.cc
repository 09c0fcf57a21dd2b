#include "perdure/base/file_system.h"

#include <algorithm>
#include <cerrno>

#include "perdure/base/error.h"

namespace perdure {
namespace {

std::string_view without_trailing_slashes(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path;
}

/// Runs `body`; that something is gone already is no error.
template <class Body>
void unless_gone(Body body) {
  try {
    body();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kNotFound) throw;
  }
}

/// Calls `on_entry(path, type)` for everything below `root` that is no directory; `list(path)` lists one. Gives the
/// directories, `root` and outer ones first.
template <class List, class OnEntry>
std::vector<std::string> walk(const std::string& root, List list, OnEntry on_entry) {
  std::vector<std::string> directories = {root};
  for (std::size_t next = 0; next < directories.size(); ++next) {
    const std::string directory = directories[next];
    for (const DirectoryEntry& entry : list(directory)) {
      std::string path = join_path(directory, entry.name);
      if (entry.type == FileType::kDirectory) {
        directories.push_back(std::move(path));
      } else {
        on_entry(path, entry.type);
      }
    }
  }
  return directories;
}

auto listing(FileSystem& fs) {
  return [&fs](const std::string& path) { return fs.list(path); };
}

}  // namespace

std::string join_path(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (!path.empty() && path.back() != '/') path += '/';
  return path.append(name);
}

std::string parent_path(std::string_view path) {
  path = without_trailing_slashes(path);
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(slash == 0 ? "/" : without_trailing_slashes(path.substr(0, slash)));
}

std::string file_name(std::string_view path) {
  path = without_trailing_slashes(path);
  return std::string(path.substr(path.rfind('/') + 1));
}

std::optional<std::string_view> find_path_fault(std::string_view path) {
  if (path.empty()) return "is empty";
  if (path.find('\0') != path.npos) return "has a NUL";
  if (path.front() == '/') return "is absolute";
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty()) return "has an empty component";
    if (part == ".") return "has a '.'";
    if (part == "..") return "has a '..'";
    begin = end + 1;
  }
  return std::nullopt;
}

std::vector<std::string> make_directories(FileSystem& fs, const std::string& path) {
  std::vector<std::string> missing;
  for (std::string at = path; !fs.find_info(at); at = parent_path(at)) missing.push_back(at);
  std::vector<std::string> made;
  for (auto at = missing.rbegin(); at != missing.rend(); ++at) {
    try {
      fs.make_directory(*at);
      made.push_back(*at);
    } catch (const Error& error) {
      const std::optional<FileInfo> info = fs.find_info(*at);  // somebody else may have been faster
      if (error.kind() != ErrorKind::kAlreadyExists || !info || info->type != FileType::kDirectory) throw;
    }
  }
  return made;
}

void remove_tree(FileSystem& fs, const std::string& path) {
  const std::optional<FileInfo> info = fs.find_info(path, false);
  if (!info) return;
  if (info->type != FileType::kDirectory) return unless_gone([&] { fs.remove_file(path); });
  const auto list = [&](const std::string& directory) {
    std::vector<DirectoryEntry> entries;
    unless_gone([&] { entries = fs.list(directory); });
    return entries;
  };
  const auto remove = [&](const std::string& entry, FileType) { unless_gone([&] { fs.remove_file(entry); }); };
  const std::vector<std::string> directories = walk(path, list, remove);
  for (auto directory = directories.rbegin(); directory != directories.rend(); ++directory) {
    unless_gone([&] { fs.remove_directory(*directory); });
  }
}

std::string read_file(FileSystem& fs, const std::string& path, std::uint64_t size_max) {
  const std::unique_ptr<File> file = fs.open(path);
  const std::uint64_t size = file->size_bytes();
  if (size > size_max) {
    throw Error(ErrorKind::kCorrupt,
                "'" + path + "' has " + std::to_string(size) + " bytes, expected at most " + std::to_string(size_max));
  }
  std::string content(size, '\0');
  file->read_at(0, std::as_writable_bytes(std::span(content)));
  return content;
}

void write_new_file(FileSystem& fs, const std::string& path, ByteView content) { fs.create(path)->write_at(0, content); }

std::vector<std::string> list_tree(FileSystem& fs, const std::string& root) {
  std::vector<std::string> files;
  const std::size_t prefix_size = join_path(root, "").size();
  walk(root, listing(fs), [&](const std::string& entry, FileType) { files.push_back(entry.substr(prefix_size)); });
  std::sort(files.begin(), files.end());
  return files;
}

void sync_tree(FileSystem& fs, const std::string& root) {
  const std::vector<std::string> directories = walk(root, listing(fs), [&](const std::string& entry, FileType type) {
    if (type == FileType::kFile) fs.open(entry, false)->sync();
  });
  for (auto directory = directories.rbegin(); directory != directories.rend(); ++directory) fs.sync_directory(*directory);
}

}  // namespace perdure
