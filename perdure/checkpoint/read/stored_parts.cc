#include "perdure/checkpoint/read/stored_parts.h"

#include <algorithm>

#include "perdure/base/error.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/orbax/strings.h"

namespace perdure::checkpoint {

void StoredParts::spend(std::uint64_t bytes) { read_.bytes_max -= std::min(bytes, read_.bytes_max); }

const ListedDirectory& StoredParts::listed() {
  if (!listed_) listed_.emplace(file_system_of(open_.environment), directory_, open_.follow_links);
  return *listed_;
}

LoadedArray StoredParts::read_array(const std::string& name, std::optional<DType> dtype) {
  if (!arrays_) arrays_.emplace(directory_, std::nullopt, open_);
  if (read_.verify && !arrays_->describe(name).codecs.has_crc32c()) check_files_of(name);
  LoadedArray array = std::move(arrays_->read({{name, dtype}}, {.read = read_})[0]);
  spend(array.view.size_bytes());
  return array;
}

void StoredParts::check_files_of(const std::string& array) {
  if (!listed().has_list() || is_database_checked_) return;
  const bool is_database = listed().contains(kManifestFile);
  const std::string prefix = (is_database ? std::string(kDataDirectory) : array) + '/';
  for (const ListedFile& file : listed().list()) {
    if (!file.name.starts_with(prefix)) continue;
    with_note([&] { return "file " + join_path(directory_, file.name); }, [&] { listed().check(file); });
  }
  is_database_checked_ = is_database;
}

std::string StoredParts::read_text(const std::string& name) {
  if (!texts_) {
    const std::optional<std::string> file = listed().find(kStringsFile);
    texts_ = file ? with_note([&] { return "file " + join_path(directory_, kStringsFile); }, [&] { return parse_strings(*file); })
                  : std::unordered_map<std::string, std::string>();
  }
  const auto found = texts_->find(name);
  if (found == texts_->end()) throw Error(ErrorKind::kNotFound, "there is no text '" + name + "' in '" + directory_ + "'");
  return found->second;
}

std::string StoredParts::read_file(const std::string& name) {
  if (const auto fault = find_path_fault(name)) {
    throw Error(ErrorKind::kCorrupt, "'" + name + "' cannot be a file of the item: it " + std::string(*fault));
  }
  std::optional<std::string> content = listed().find(name);
  if (!content) throw Error(ErrorKind::kNotFound, "there is no file '" + name + "' in '" + directory_ + "'");
  return std::move(*content);
}

}  // namespace perdure::checkpoint
