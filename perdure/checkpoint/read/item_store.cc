#include "perdure/checkpoint/read/item_store.h"

#include "perdure/base/error.h"
#include "perdure/checkpoint/files/layout.h"

namespace perdure::checkpoint {
namespace {

std::string_view format_of(const ListedDirectory& directory, std::optional<bool> use_ocdbt) {
  const std::string_view found = storage::find_store_format([&](std::string_view file) {
    return directory.has_list() ? directory.find(file).has_value() : directory.contains(file);  // what is listed is compared
  });
  if (!use_ocdbt) return found;
  if (!*use_ocdbt) return storage::kFileStore;
  if (found == storage::kOcdbtStore) return found;
  throw Error(ErrorKind::kCorrupt, "missing file '" + join_path(directory.path(), kManifestFile) + "'");
}

}  // namespace

std::unique_ptr<storage::KvStore> open_item_store(const ListedDirectory& directory, std::optional<bool> use_ocdbt) {
  return storage::open_kvstore(directory.path(), format_of(directory, use_ocdbt),
                               {.file_system = &directory.file_system(), .follow_links = directory.follow_links()});
}

}  // namespace perdure::checkpoint
