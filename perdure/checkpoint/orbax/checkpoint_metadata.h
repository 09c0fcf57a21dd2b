#pragma once
// Orbax's `_CHECKPOINT_METADATA`: items, times, and what users add (docs/design/orbax.md).
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/base/json.h"

namespace perdure::checkpoint {

/// _CHECKPOINT_METADATA. Unknown keys are kept in custom_metadata, as Orbax does.
struct CheckpointMetadata {
  std::vector<std::pair<std::string, std::string>> item_handlers;  // item -> handler; one with an empty item: flat v0
  json::Value metrics = json::Object{};
  json::Value custom_metadata = json::Object{};
  std::optional<std::uint64_t> init_timestamp_ns;
  std::optional<std::uint64_t> commit_timestamp_ns;
};
std::string encode_checkpoint_metadata(const CheckpointMetadata& metadata);
CheckpointMetadata parse_checkpoint_metadata(std::string_view text);

}  // namespace perdure::checkpoint
