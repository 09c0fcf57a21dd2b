#include "perdure/storage/codec/configuration.h"

#include <string>

#include "perdure/base/error.h"

namespace perdure::storage {

const json::Value* find_configured(const json::Value& configuration, std::string_view key) {
  return configuration.is_null() ? nullptr : configuration.as_object().find(key);
}

int configured_int(const json::Value& configuration, std::string_view key, int low, int high, int otherwise) {
  const json::Value* member = find_configured(configuration, key);
  if (member == nullptr) return otherwise;
  return with_note([&] { return "member '" + std::string(key) + "'"; },
                   [&] {
                     const std::int64_t value = member->as_int64();
                     if (value < low || value > high) {
                       throw Error(ErrorKind::kCorrupt, "expected an integer from " + std::to_string(low) + " to " +
                                                            std::to_string(high) + ", found " + std::to_string(value));
                     }
                     return static_cast<int>(value);
                   });
}

}  // namespace perdure::storage
