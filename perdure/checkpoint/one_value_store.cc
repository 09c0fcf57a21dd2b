#include "perdure/checkpoint/one_value_store.h"

#include <cstring>

#include "perdure/base/error.h"

namespace perdure::checkpoint {

std::vector<std::string> OneValueStore::list(std::string_view prefix) const {
  return std::string_view(key_).starts_with(prefix) ? std::vector{key_} : std::vector<std::string>{};
}

std::optional<storage::ValueLocation> OneValueStore::find_location(std::string_view key) const {
  if (key != key_) return std::nullopt;
  return storage::ValueLocation{.file = {}, .offset = 0, .size_bytes = value_.size(), .inline_value = value_};
}

void OneValueStore::read_range(const storage::ValueLocation& location, std::uint64_t offset, ByteSpan target) const {
  const ByteView value = location.inline_value;
  if (offset > value.size() || target.size() > value.size() - offset) {
    throw Error(ErrorKind::kCorrupt, "value of " + std::to_string(value.size()) + " bytes ends early");
  }
  if (!target.empty()) std::memcpy(target.data(), value.data() + offset, target.size());
}

}  // namespace perdure::checkpoint
