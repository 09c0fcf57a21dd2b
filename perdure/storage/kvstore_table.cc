// The stores that open_kvstore knows: one row each.
#include "perdure/base/error.h"
#include "perdure/storage/kvstore.h"
#include "perdure/storage/kvstore/file_store.h"
#include "perdure/storage/kvstore/memory.h"
#include "perdure/storage/ocdbt/reader.h"

namespace perdure::storage {
namespace {

struct KvStoreRow {
  std::string_view format;
  std::unique_ptr<KvStore> (*open)(const std::string& path, const KvStoreOptions& options);
};

constexpr KvStoreRow kKvStoreTable[] = {
    {"ocdbt", ocdbt::open_database},
    {"file", open_file_store},
    {"memory", open_memory_store},
};

}  // namespace

std::unique_ptr<KvStore> open_kvstore(const std::string& path, std::string_view format, const KvStoreOptions& options) {
  for (const KvStoreRow& row : kKvStoreTable) {
    if (row.format == format) return row.open(path, options);
  }
  throw Error(ErrorKind::kInvalid, "store format '" + std::string(format) + "', expected 'ocdbt', 'file' or 'memory'");
}

}  // namespace perdure::storage
