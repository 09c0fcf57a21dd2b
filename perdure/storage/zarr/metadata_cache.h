#pragma once
// Parsed metadata by its text: the arrays of a checkpoint are many, their texts few.
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "perdure/storage/zarr/metadata.h"

namespace perdure::storage::zarr {

/// Any thread may call any member. Keeps a bounded number of texts and forgets them all when that is reached.
class MetadataCache {
 public:
  /// parse_zarr2 or parse_zarr3, or what they gave before for the same texts. Failures are not kept.
  std::shared_ptr<const ArrayMetadata> parse(int zarr_format, std::string_view text, std::string_view attributes = {});

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const ArrayMetadata>> parsed_;  // guarded by mutex_
};

MetadataCache& metadata_cache();

}  // namespace perdure::storage::zarr
