#pragma once
// C++ objects as checkpoints: no Value in between.
//
//   perdure::save("run/100", model);
//   perdure::load("run/100", model);   // fills it
//
// What can be part of an object's state is told in tree/state.h.
#include <concepts>
#include <string>

#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/save.h"
#include "perdure/checkpoint/save_async.h"
#include "perdure/tree/state.h"

namespace perdure {

namespace detail {
SaveStatistics save_object(const std::string& path, tree::Slot root, const SaveOptions& options,
                           const tree::ObjectRegistry& registry);
SaveFuture save_object_async(const std::string& path, tree::Slot root, const SaveOptions& options,
                             const tree::ObjectRegistry& registry);
void load_object(const std::string& path, tree::Slot root, const LoadOptions& options, const tree::ObjectRegistry& registry);
}  // namespace detail

/// Saves an object as one checkpoint directory, with its arrays from where they lie. Errors as of save().
template <tree::ObjectArgument T>
SaveStatistics save(const std::string& path, const T& object, const SaveOptions& options = {},
                    const tree::ObjectRegistry& registry = tree::default_registry()) {
  return detail::save_object(path, tree::detail::root_slot(object), options, registry);
}

/// Returns once everything in the object has been copied: it may change from then on. Errors as of save_async().
template <tree::ObjectArgument T>
SaveFuture save_async(const std::string& path, const T& object, const SaveOptions& options = {},
                      const tree::ObjectRegistry& registry = tree::default_registry()) {
  return detail::save_object_async(path, tree::detail::root_slot(object), options, registry);
}

/// Fills an object: it is the template, and when the load succeeds it has the values. Arrays are read into new memory first, so that
/// nothing has changed when it throws, but what serializers that fill objects in place have done; LoadOptions::in_place does without
/// that memory. Errors as of load() with a template.
template <tree::ObjectTarget T>
requires(!std::same_as<T, LoadOptions>) void load(const std::string& path, T& object, const LoadOptions& options = {},
                                                  const tree::ObjectRegistry& registry = tree::default_registry()) {
  detail::load_object(path, tree::slot_of(object), options, registry);
}

}  // namespace perdure
