// The stores that open_kvstore knows: one row each.
#include "perdure/base/error.h"
#include "perdure/storage/kvstore.h"
#include "perdure/storage/kvstore/file_store.h"
#include "perdure/storage/kvstore/memory.h"
#include "perdure/storage/ocdbt/manifest.h"
#include "perdure/storage/ocdbt/reader.h"

namespace perdure::storage {
namespace {

struct KvStoreRow {
  std::string_view format;
  std::string_view marker;  // the file that tells this format from a mere directory of files; "" for none
  std::unique_ptr<KvStore> (*open)(const std::string& path, const KvStoreOptions& options);
};

constexpr KvStoreRow kKvStoreTable[] = {
    {"ocdbt", ocdbt::kManifestFile, ocdbt::open_database},
    {"file", "", open_file_store},
    {"memory", "", open_memory_store},
};

}  // namespace

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
  return "file";
}

}  // namespace perdure::storage
