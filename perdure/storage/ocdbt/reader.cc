#include "perdure/storage/ocdbt/reader.h"

#include "perdure/base/error.h"
#include "perdure/storage/kvstore/file_set.h"
#include "perdure/storage/kvstore/inline_value.h"
#include "perdure/storage/kvstore/key_text.h"
#include "perdure/storage/ocdbt/generations.h"
#include "perdure/storage/ocdbt/key_walk.h"
#include "perdure/storage/ocdbt/node_store.h"

namespace perdure::storage::ocdbt {
namespace {

class Database : public KvStore {
 public:
  Database(FileSystem& fs, const std::string& root, bool follow_links) : files_(fs, root, follow_links), nodes_(files_) {}

  void open(std::optional<std::uint64_t> generation) {
    const auto manifest = find_manifest(files_);
    if (!manifest) throw Error(ErrorKind::kNotFound, "no OCDBT database at " + key_text(files_.root()));
    root_ = find_root(files_, *manifest, generation);
  }

  std::vector<std::string> list(std::string_view prefix) const override {
    if (!root_) return {};
    return list_keys(nodes_, *root_, prefix);
  }

  std::optional<ValueLocation> find_location(std::string_view key) const override {
    return with_note([&] { return "key " + key_text(key); }, [&] { return find(key); });
  }

  void read_range(const ValueLocation& location, std::uint64_t offset, ByteSpan target) const override {
    if (location.file.empty()) return read_inline_range(location, offset, target);
    check_value_range(location, offset, target.size());
    files_.read_at(location.file, location.offset + offset, target);
  }

 private:
  std::optional<ValueLocation> find(std::string_view key) const {
    if (!root_) return std::nullopt;
    const auto found = find_entry(nodes_, *root_, key);
    if (!found) return std::nullopt;
    const LeafEntry& entry = found->leaf->node.entries[found->index];
    if (entry.kind == kInlineValue) return inline_location(found->leaf->node.inline_value(entry));
    const std::string& path = found->leaf->path(entry.file);
    files_.check_range(path, entry.offset, entry.size_bytes);
    return ValueLocation{path, entry.offset, entry.size_bytes, {}};
  }

  mutable FileSet files_;  // each has its own mutex
  mutable NodeStore nodes_;
  std::optional<NodeLocation> root_;
};

}  // namespace

std::unique_ptr<KvStore> open_database(const std::string& path, const KvStoreOptions& options) {
  FileSystem& fs = options.file_system ? *options.file_system : posix_file_system();
  return with_note([&] { return "OCDBT database " + key_text(path); },
                   [&] {
                     auto database = std::make_unique<Database>(fs, path, options.follow_links);
                     database->open(options.generation);
                     return database;
                   });
}

}  // namespace perdure::storage::ocdbt
