#pragma once
// Checkpoints of named objects of any kind, in one commit.
//
//   perdure::Checkpointables pieces;
//   pieces.add("model", state).add("config", json::Value(...)).add("vocabulary", words);
//   perdure::save_checkpointables("run/100", pieces, {}, registry);
//   auto loaded = perdure::load_checkpointables("run/100", {}, {}, registry);
//   auto words = loaded.get<Vocabulary>("vocabulary");
#include <any>
#include <string>
#include <utility>
#include <vector>

#include "perdure/checkpoint/checkpointable_handler_registry.h"
#include "perdure/checkpoint/save_async.h"

namespace perdure {

/// Objects by name, in order. For one thread.
class Checkpointables {
 public:
  template <class T>
  Checkpointables& add(std::string name, T object) {
    items_.emplace_back(std::move(name), std::any(std::move(object)));
    return *this;
  }
  /// In what a load is asked for: as saved.
  Checkpointables& add(std::string name) {
    items_.emplace_back(std::move(name), std::any());
    return *this;
  }

  /// Throws kNotFound for a name that is not there, kInputType for an object of another type.
  template <class T>
  const T& get(const std::string& name) const {
    const auto* object = std::any_cast<T>(&find(name));
    if (object == nullptr) throw_wrong_type(name);
    return *object;
  }

  /// An object of a type that only its handler knows.
  void add_any(std::string name, std::any object) { items_.emplace_back(std::move(name), std::move(object)); }
  const std::vector<std::pair<std::string, std::any>>& items() const { return items_; }

 private:
  const std::any& find(const std::string& name) const;
  [[noreturn]] static void throw_wrong_type(const std::string& name);
  std::vector<std::pair<std::string, std::any>> items_;
};

/// Errors as of save(); kNoHandler for an object that no handler takes. Nothing is saved then.
SaveStatistics save_checkpointables(const std::string& path, const Checkpointables& objects, const SaveOptions& options = {},
                                    const CheckpointableHandlerRegistry& registry = CheckpointableHandlerRegistry::built_in());
/// Returns once every handler has looked at its object, and all memory that may change has been copied.
SaveFuture save_checkpointables_async(const std::string& path, const Checkpointables& objects, const SaveOptions& options = {},
                                      const CheckpointableHandlerRegistry& registry = CheckpointableHandlerRegistry::built_in());

/// `abstract`: what to read, and what is asked of it; without items: everything, as saved. Throws kNotFound naming what was asked and
/// what exists, before anything is read; kNoHandler.
Checkpointables load_checkpointables(const std::string& path, const Checkpointables& abstract = {},
                                     const LoadOptions& options = {},
                                     const CheckpointableHandlerRegistry& registry = CheckpointableHandlerRegistry::built_in());

}  // namespace perdure
