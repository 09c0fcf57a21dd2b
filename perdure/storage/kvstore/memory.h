#pragma once
// A store in memory: for tests, and for arrays that never reach a disk.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/storage/kvstore.h"

namespace perdure::storage {

/// put() belongs to the thread that makes the store, before others read it.
class MemoryStore : public KvStore {
 public:
  void put(std::string key, Blob value) { values_.insert_or_assign(std::move(key), std::move(value)); }

  std::vector<std::string> list(std::string_view prefix = {}) const override;
  std::optional<ValueLocation> find_location(std::string_view key) const override;
  void read_range(const ValueLocation& location, std::uint64_t offset, ByteSpan target) const override;

 private:
  std::map<std::string, Blob, std::less<>> values_;
};

/// An empty store; the path means nothing.
std::unique_ptr<KvStore> open_memory_store(const std::string& path, const KvStoreOptions& options);

}  // namespace perdure::storage
