#include "perdure/checkpoint/orbax/checkpoint_metadata.h"

#include <algorithm>
#include <array>

namespace perdure::checkpoint {
namespace {

constexpr std::array<std::string_view, 6> kCheckpointKeys = {
    "item_handlers", "metrics", "performance_metrics", "init_timestamp_nsecs", "commit_timestamp_nsecs", "custom_metadata"};

json::Value timestamp_json(const std::optional<std::uint64_t>& timestamp_ns) {
  return timestamp_ns ? json::Value(*timestamp_ns) : json::Value();
}

json::Value handlers_json(const std::vector<std::pair<std::string, std::string>>& handlers) {
  if (handlers.size() == 1 && handlers[0].first.empty()) return handlers[0].second;
  json::Object items;
  for (const auto& [item, handler] : handlers) items.add(item, handler);
  return items;
}

std::vector<std::pair<std::string, std::string>> handlers_from_json(const json::Value* value) {
  std::vector<std::pair<std::string, std::string>> handlers;
  if (value == nullptr || value->is_null()) return handlers;
  if (value->is_string()) return {{"", value->as_string()}};
  for (const auto& [item, handler] : value->as_object().members()) {
    handlers.emplace_back(item, handler.is_null() ? "" : handler.as_string());
  }
  return handlers;
}

std::optional<std::uint64_t> timestamp_from_json(const json::Value* value) {
  if (value == nullptr || value->is_null()) return std::nullopt;
  return value->as_uint64();
}

}  // namespace

std::string encode_checkpoint_metadata(const CheckpointMetadata& metadata) {
  return json::dump(json::Object{{"item_handlers", handlers_json(metadata.item_handlers)},
                                 {"metrics", metadata.metrics},
                                 {"performance_metrics", json::Object{}},
                                 {"init_timestamp_nsecs", timestamp_json(metadata.init_timestamp_ns)},
                                 {"commit_timestamp_nsecs", timestamp_json(metadata.commit_timestamp_ns)},
                                 {"custom_metadata", metadata.custom_metadata}});
}

CheckpointMetadata parse_checkpoint_metadata(std::string_view text) {
  const json::Value document = json::parse(text);
  const json::Object& object = document.as_object();
  CheckpointMetadata metadata;
  metadata.item_handlers = handlers_from_json(object.find("item_handlers"));
  if (const json::Value* metrics = object.find("metrics")) metadata.metrics = *metrics;
  metadata.init_timestamp_ns = timestamp_from_json(object.find("init_timestamp_nsecs"));
  metadata.commit_timestamp_ns = timestamp_from_json(object.find("commit_timestamp_nsecs"));
  const json::Value* custom = object.find("custom_metadata");
  if (custom != nullptr && !custom->is_null()) metadata.custom_metadata = *custom;
  json::Object& kept = metadata.custom_metadata.as_object();
  for (const auto& [key, value] : object.members()) {
    if (std::find(kCheckpointKeys.begin(), kCheckpointKeys.end(), key) == kCheckpointKeys.end()) kept.add(key, value);
  }
  return metadata;
}

}  // namespace perdure::checkpoint
