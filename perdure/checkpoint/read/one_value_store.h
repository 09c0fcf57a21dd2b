#pragma once
// A store of one value that is in memory already, so that an array reader decodes it without reading it again.
#include "perdure/storage/kvstore.h"

namespace perdure::checkpoint {

class OneValueStore : public storage::KvStore {
 public:
  /// `location`: where the value came from, for messages.
  OneValueStore(std::string key, const storage::ValueLocation& location, Blob value);

  std::vector<std::string> list(std::string_view prefix) const override;
  std::optional<storage::ValueLocation> find_location(std::string_view key) const override;
  void read_range(const storage::ValueLocation& location, std::uint64_t offset, ByteSpan target) const override;

 private:
  std::string key_;
  storage::ValueLocation location_;
  Blob value_;
};

}  // namespace perdure::checkpoint
