// The stores that open_kvstore knows: one row each.
#include "perdure/base/error.h"
#include "perdure/storage/kvstore.h"
#include "perdure/storage/kvstore/file_store.h"
#include "perdure/storage/kvstore/memory.h"
#include "perdure/storage/ocdbt/manifest.h"
#include "perdure/storage/ocdbt/reader.h"

namespace perdure::storage {
namespace {

constexpr KvStoreRow kKvStoreTable[] = {
    {kOcdbtStore, ocdbt::kManifestFile, ocdbt::open_database},
    {kFileStore, "", open_file_store},
    {"memory", "", open_memory_store},
};

}  // namespace

std::span<const KvStoreRow> kvstore_table() { return kKvStoreTable; }

std::unique_ptr<KvStore> open_kvstore(const std::string& path, std::string_view format, const KvStoreOptions& options) {
  for (const KvStoreRow& row : kKvStoreTable) {
    if (row.format == format) return row.open(path, options);
  }
  std::string known;
  for (const KvStoreRow& row : kKvStoreTable) known.append(known.empty() ? "'" : ", '").append(row.format).append("'");
  throw Error(ErrorKind::kInvalid, "store format '" + std::string(format) + "', expected one of " + known);
}

std::string_view find_store_format(const std::function<bool(std::string_view file)>& has_file) {
  for (const KvStoreRow& row : kKvStoreTable) {
    if (!row.marker.empty() && has_file(row.marker)) return row.format;
  }
  return kFileStore;
}

std::unique_ptr<KvStore> open_any_kvstore(const std::string& path, const KvStoreOptions& options) {
  FileSystem& fs = options.file_system != nullptr ? *options.file_system : posix_file_system();
  const auto has_file = [&](std::string_view file) { return fs.find_info(join_path(path, file)).has_value(); };
  return open_kvstore(path, find_store_format(has_file), options);
}

}  // namespace perdure::storage
