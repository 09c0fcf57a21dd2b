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
  struct Texts {
    int zarr_format;
    std::string_view text, attributes;
    bool operator==(const Texts&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Texts& texts) const { return std::hash<std::string_view>()(texts.text); }
  };
  struct Parsed {
    std::string texts;  // both, which the key views
    std::shared_ptr<const ArrayMetadata> metadata;
  };
  std::mutex mutex_;
  std::unordered_map<Texts, std::unique_ptr<const Parsed>, Hash> parsed_;  // guarded by mutex_
};

MetadataCache& metadata_cache();

}  // namespace perdure::storage::zarr
