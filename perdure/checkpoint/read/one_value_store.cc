#include "perdure/checkpoint/read/one_value_store.h"

#include <cstring>

#include "perdure/base/error.h"

namespace perdure::checkpoint {

OneValueStore::OneValueStore(std::string key, const storage::ValueLocation& location, Blob value)
    : key_(std::move(key)), location_(location), value_(std::move(value)) {
  location_.size_bytes = value_.size();
}

std::vector<std::string> OneValueStore::list(std::string_view prefix) const {
  return std::string_view(key_).starts_with(prefix) ? std::vector{key_} : std::vector<std::string>{};
}

std::optional<storage::ValueLocation> OneValueStore::find_location(std::string_view key) const {
  if (key != key_) return std::nullopt;
  return location_;
}

void OneValueStore::read_range(const storage::ValueLocation&, std::uint64_t offset, ByteSpan target) const {
  const ByteView value = value_;
  if (offset > value.size() || target.size() > value.size() - offset) {
    throw Error(ErrorKind::kCorrupt, "value of " + std::to_string(value.size()) + " bytes ends early");
  }
  if (!target.empty()) std::memcpy(target.data(), value.data() + offset, target.size());
}

}  // namespace perdure::checkpoint
