#pragma once
// The handlers that every registry starts with: trees, JSON, text, bytes.
#include <string>
#include <variant>

#include "perdure/base/json.h"
#include "perdure/checkpoint/checkpointable.h"
#include "perdure/tree/value.h"

namespace perdure {

/// Any state that save() takes, stored as save() stores it. A template gives containers, dtypes and shapes.
class TreeHandler final : public CheckpointableHandler<Value> {
 public:
  std::unique_ptr<ItemWriter> save(const Value& state, const SaveOptions& options) const override;
  Value load(const StoredItem& item, const Value* abstract) const override;
};

/// Handlers of small files are loaded as saved: nothing can be asked for.
using NothingAsked = std::monostate;

/// JSON as Orbax's handler stores it; metrics too.
class JsonHandler final : public CheckpointableHandler<json::Value, NothingAsked> {
 public:
  std::unique_ptr<ItemWriter> save(const json::Value& value, const SaveOptions& options) const override;
  json::Value load(const StoredItem& item, const NothingAsked* abstract) const override;
};

class TextHandler final : public CheckpointableHandler<std::string, NothingAsked> {
 public:
  std::unique_ptr<ItemWriter> save(const std::string& text, const SaveOptions& options) const override;
  std::string load(const StoredItem& item, const NothingAsked* abstract) const override;
};

class BytesHandler final : public CheckpointableHandler<Blob, NothingAsked> {
 public:
  std::unique_ptr<ItemWriter> save(const Blob& bytes, const SaveOptions& options) const override;
  Blob load(const StoredItem& item, const NothingAsked* abstract) const override;
};

}  // namespace perdure
