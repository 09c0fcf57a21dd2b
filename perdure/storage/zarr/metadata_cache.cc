#include "perdure/storage/zarr/metadata_cache.h"

#include "perdure/base/immortal.h"

namespace perdure::storage::zarr {
namespace {

constexpr std::size_t kTextsMax = 8192;         // a model of many shapes has thousands
constexpr std::size_t kTextBytesMax = 2 << 10;  // what is longer is not an ordinary array

}  // namespace

std::shared_ptr<const ArrayMetadata> MetadataCache::parse(int zarr_format, std::string_view text, std::string_view attributes) {
  const auto parse_now = [&] {
    return std::make_shared<const ArrayMetadata>(zarr_format == 2 ? parse_zarr2(text, attributes) : parse_zarr3(text));
  };
  if (text.size() + attributes.size() > kTextBytesMax) return parse_now();
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = parsed_.find({zarr_format, text, attributes}); found != parsed_.end()) return found->second->metadata;
  }
  auto parsed = std::make_unique<const Parsed>(Parsed{std::string(text).append(attributes), parse_now()});
  const std::string_view kept = parsed->texts;
  const Texts key{zarr_format, kept.substr(0, text.size()), kept.substr(text.size())};
  const std::lock_guard lock(mutex_);
  if (parsed_.size() >= kTextsMax) parsed_.clear();
  return parsed_.try_emplace(key, std::move(parsed)).first->second->metadata;
}

MetadataCache& metadata_cache() {
  static auto& cache = make_immortal<MetadataCache>();
  return cache;
}

}  // namespace perdure::storage::zarr
