#include "perdure/storage/kvstore/memory.h"

#include "perdure/storage/kvstore/inline_value.h"

namespace perdure::storage {

std::vector<std::string> MemoryStore::list(std::string_view prefix) const {
  std::vector<std::string> keys;
  for (auto it = values_.lower_bound(prefix); it != values_.end() && it->first.starts_with(prefix); ++it)
    keys.push_back(it->first);
  return keys;
}

std::optional<ValueLocation> MemoryStore::find_location(std::string_view key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return std::nullopt;
  return inline_location(found->second);
}

void MemoryStore::read_range(const ValueLocation& location, std::uint64_t offset, ByteSpan target) const {
  read_inline_range(location, offset, target);
}

std::unique_ptr<KvStore> open_memory_store(const std::string&, const KvStoreOptions&) { return std::make_unique<MemoryStore>(); }

}  // namespace perdure::storage
