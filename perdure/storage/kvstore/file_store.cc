#include "perdure/storage/kvstore/file_store.h"

#include "perdure/base/error.h"
#include "perdure/storage/kvstore/file_set.h"
#include "perdure/storage/kvstore/inline_value.h"
#include "perdure/storage/kvstore/key_text.h"

namespace perdure::storage {
namespace {

constexpr std::string_view kLockSuffix = ".__lock";

bool is_key(std::string_view path) { return !path.ends_with(kLockSuffix); }

class FileStore : public KvStore {
 public:
  FileStore(FileSystem& fs, const std::string& root, bool follow_links) : files_(fs, root, follow_links) {}

  std::vector<std::string> list(std::string_view prefix) const override {
    std::vector<std::string> keys = list_tree(files_.file_system(), files_.root());
    std::erase_if(keys, [&](const std::string& key) { return !key.starts_with(prefix) || !is_key(key); });
    return keys;
  }

  std::optional<ValueLocation> find_location(std::string_view key) const override {
    if (const auto fault = find_path_fault(key)) {
      throw Error(ErrorKind::kInvalid, "key " + key_text(key) + " " + std::string(*fault));
    }
    if (!is_key(key)) return std::nullopt;
    std::string path = files_.path(key);
    const auto size = files_.find_size(path);
    if (!size) return std::nullopt;
    return ValueLocation{std::move(path), 0, *size, {}};
  }

  void read_range(const ValueLocation& location, std::uint64_t offset, ByteSpan target) const override {
    check_value_range(location, offset, target.size());
    files_.read_at(location.file, location.offset + offset, target);
  }

 private:
  mutable FileSet files_;  // has its own mutex
};

}  // namespace

std::unique_ptr<KvStore> open_file_store(const std::string& path, const KvStoreOptions& options) {
  FileSystem& fs = options.file_system ? *options.file_system : posix_file_system();
  const auto info = fs.find_info(path);
  if (!info || info->type != FileType::kDirectory) throw Error(ErrorKind::kNotFound, "no directory at " + key_text(path));
  return std::make_unique<FileStore>(fs, path, options.follow_links);
}

}  // namespace perdure::storage
