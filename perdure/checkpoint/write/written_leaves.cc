#include "perdure/checkpoint/write/written_leaves.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>

#include "perdure/base/error.h"
#include "perdure/base/immortal.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/files/replace_file.h"
#include "perdure/storage/data_file_writer.h"
#include "perdure/storage/kvstore.h"
#include "perdure/storage/zarr/array.h"

namespace perdure::checkpoint {
namespace {

namespace ocdbt = storage::ocdbt;

/// By directory. Any thread may call any member.
class Pending {
 public:
  void add(const std::string& directory, WrittenLeaves leaves) {
    const std::lock_guard lock(mutex_);
    leaves_[directory].merge(std::move(leaves));
  }
  WrittenLeaves take(const std::string& directory) {
    const std::lock_guard lock(mutex_);
    auto node = leaves_.extract(directory);
    return node ? std::move(node.mapped()) : WrittenLeaves{};
  }
  void hold(const std::string& directory, bool held) {
    const std::lock_guard lock(mutex_);
    if (held) {
      held_.insert(directory);
    } else {
      held_.erase(directory);
    }
    leaves_.erase(directory);
  }
  bool is_held(const std::string& directory) const {
    const std::lock_guard lock(mutex_);
    return held_.contains(directory);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, WrittenLeaves> leaves_;  // guarded by mutex_
  std::set<std::string> held_;                   // guarded by mutex_
};

Pending& pending() {
  static auto& all = make_immortal<Pending>();  // handlers may still write when static objects go
  return all;
}

/// "/a/b" of "/a/b/": one name for one directory.
std::string key_of(std::string directory) {
  while (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
  return directory;
}

/// Of the key "params.w/c/0": whether it belongs to an array that was written anew.
bool is_rewritten(const std::string& key, const WrittenLeaves& leaves) {
  for (std::size_t slash = key.find('/'); slash != std::string::npos; slash = key.find('/', slash + 1)) {
    if (leaves.arrays.contains(key.substr(0, slash))) return true;
  }
  return false;
}

/// What the database of the directory holds, so that a new one may take it over.
class Existing {
 public:
  Existing(const std::string& directory, FileSystem& fs) : prefix_(directory + '/') {
    if (fs.find_info(join_path(directory, kManifestFile))) {
      store_ = storage::open_kvstore(directory, storage::kOcdbtStore, {.file_system = &fs, .follow_links = true});
    }
  }

  void append(const WrittenLeaves& leaves, std::vector<ocdbt::Entry>& entries, std::vector<std::string>& files) {
    if (!store_) return;
    for (const std::string& key : store_->list()) {
      if (!is_rewritten(key, leaves)) entries.push_back(entry(key, files));
    }
  }

 private:
  ocdbt::Entry entry(const std::string& key, std::vector<std::string>& files) {
    const std::optional<storage::ValueLocation> at = store_->find_location(key);
    if (at->file.empty()) return {.key = key, .inline_value = std::string(at->inline_value.text())};
    if (!at->file.starts_with(prefix_)) throw Error(ErrorKind::kCorrupt, "'" + at->file + "' is outside of '" + prefix_ + "'");
    const auto [index, is_new] = index_.try_emplace(at->file.substr(prefix_.size()), static_cast<std::uint32_t>(files.size()));
    if (is_new) files.push_back(index->first);
    return {.key = key, .is_inline = false, .file = index->second, .offset = at->offset, .size_bytes = at->size_bytes};
  }

  std::string prefix_;
  std::unique_ptr<storage::KvStore> store_;
  std::map<std::string, std::uint32_t> index_;  // of files
};

/// Without what was written into files that somebody has removed since: with the directory of a save that failed, say.
WrittenLeaves without_lost(const std::string& directory, WrittenLeaves leaves, FileSystem& fs) {
  std::vector<ListedFile> found;
  std::vector<std::optional<std::uint32_t>> index;  // in `found`
  for (ListedFile& file : leaves.data_files) {
    const bool is_there = fs.find_info(join_path(directory, file.name)).has_value();
    index.push_back(is_there ? std::optional(static_cast<std::uint32_t>(found.size())) : std::nullopt);
    if (is_there) found.push_back(std::move(file));
  }
  leaves.data_files = std::move(found);
  std::erase_if(leaves.arrays, [&](const auto& array) {
    return std::ranges::any_of(array.second, [&](const ocdbt::Entry& entry) { return !entry.is_inline && !index[entry.file]; });
  });
  for (auto& [name, entries] : leaves.arrays) {
    for (ocdbt::Entry& entry : entries) entry.file = entry.is_inline ? 0 : *index[entry.file];
  }
  return leaves;
}

void write_database(const std::string& directory, WrittenLeaves leaves, const Environment& environment) {
  FileSystem& fs = file_system_of(environment);
  std::vector<std::string> files;
  std::vector<ocdbt::Entry> entries;
  for (const ListedFile& file : leaves.data_files) files.push_back(file.name);
  Existing(directory, fs).append(leaves, entries, files);
  for (auto& [name, array] : leaves.arrays) std::move(array.begin(), array.end(), std::back_inserter(entries));

  ocdbt::WriterConfig config;
  random_of(environment).fill(std::as_writable_bytes(std::span(config.uuid)));
  config.commit_time_ns = clock_of(environment).now_ns();
  const auto nodes_file = static_cast<std::uint32_t>(files.size());
  files.push_back(join_path(kDataDirectory, random_hex_name(random_of(environment))));
  const ocdbt::DatabaseBytes database = ocdbt::encode_database(std::move(entries), files, nodes_file, 0, config);
  make_directories(fs, join_path(directory, kDataDirectory));
  const auto file = storage::create_data_file(fs, join_path(directory, files.back()), {.size_hint_bytes = database.nodes.size()});
  file->append(as_bytes(database.nodes));
  file->finish();
  replace_file(fs, join_path(directory, kManifestFile), as_bytes(database.manifest));
}

}  // namespace

void WrittenLeaves::merge(WrittenLeaves other) {
  const auto first_file = static_cast<std::uint32_t>(data_files.size());
  std::move(other.data_files.begin(), other.data_files.end(), std::back_inserter(data_files));
  for (auto& [name, entries] : other.arrays) {
    ocdbt::shift_files(entries, first_file);
    arrays[name] = std::move(entries);
  }
  std::move(other.strings.begin(), other.strings.end(), std::back_inserter(strings));
}

void add_written_leaves(const std::string& directory, WrittenLeaves leaves) {
  pending().add(key_of(directory), std::move(leaves));
}

void finalize_leaves(const std::string& directory, const Environment& environment) {
  if (is_held(directory)) return;
  WrittenLeaves leaves = without_lost(key_of(directory), pending().take(key_of(directory)), file_system_of(environment));
  if (!leaves.arrays.empty()) write_database(key_of(directory), std::move(leaves), environment);
}

HeldDirectory::HeldDirectory(std::string directory) : directory_(key_of(std::move(directory))) {
  pending().hold(directory_, true);
}
HeldDirectory::~HeldDirectory() { pending().hold(directory_, false); }

bool is_held(const std::string& directory) { return pending().is_held(key_of(directory)); }

WrittenLeaves take_written_leaves(const std::string& directory) { return pending().take(key_of(directory)); }

}  // namespace perdure::checkpoint
