#pragma once
// The state of C++ objects as one flat dict, and back: what perdure.tree is for Python. Same keys, same rules, same errors.
//
//   perdure::Value flat = perdure::tree::state_dict(model);      // {"layers[0].weight": ..., "step": 100}
//   perdure::tree::from_state_dict(other_model, flat);
//
// Parts of a state: described structs (base/describe.h), arrays (tree/array_of.h), plain values and enums, sequences, tuples, mappings with
// plain keys, optionals, variants, unique and shared pointers, reference wrappers; and whatever has a registered serializer.
#include <concepts>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "perdure/tree/object/models.h"
#include "perdure/tree/object/registry.h"
#include "perdure/tree/value.h"

namespace perdure::tree {

/// A C++ object that is not about to become a Value. Whether it can be part of a state, the compiler says when it is used as one.
template <class T>
concept ObjectArgument = !std::convertible_to<const T&, Value> && !std::same_as<T, FlatTree>;
/// One that can be filled.
template <class T>
concept ObjectTarget = !std::same_as<T, Value> && !std::is_const_v<T>;

/// What a flat dict and an object did not have in common.
struct StateReport {
  std::vector<std::string> unused;    // keys that nothing in the object asked for
  std::vector<std::string> unfilled;  // arrays of the object that the flat dict has not: they stay as they are
};

namespace detail {
Value state_dict(Slot root, const ObjectRegistry& registry);
StateReport from_state_dict(Slot root, const Value& flat, const ObjectRegistry& registry);
template <class T>
Slot root_slot(const T& object) {
  return slot_of(const_cast<T&>(object));  // only read
}
}  // namespace detail

/// Every leaf under its key, in memory of its own. Throws kInputType naming the key: for an unknown leaf, a cycle, two leaves of one key.
template <ObjectArgument T>
Value state_dict(const T& object, const ObjectRegistry& registry = default_registry()) {
  return detail::state_dict(detail::root_slot(object), registry);
}
/// Fills the object, whose containers and lengths stay, with the values of `flat`; slots without a key there stay as they are. When it
/// throws, nothing has changed but what serializers that fill objects in place have done. Throws kMismatch for a value that does not fit,
/// with a note that names the key.
template <ObjectTarget T>
StateReport from_state_dict(T& object, const Value& flat, const ObjectRegistry& registry = default_registry()) {
  return detail::from_state_dict(slot_of(object), flat, registry);
}

/// The same for Values, which never change: gives a new one.
Value state_dict(const Value& value);
[[nodiscard]] Value from_state_dict(const Value& target, const Value& flat, StateReport* report = nullptr);

/// Objects of type T behind a pointer to one of its bases are seen as what they are.
template <class T>
void register_type(ObjectRegistry& registry = default_registry()) {
  registry.types.add(object_type<T>());
}

/// T, and what is derived from it by declared bases, is written as the dict that `save(const T&)` gives, with keys relative to its slot.
/// `load` is `T(const T& target, const Value& relative)`, or `void(T& object, const Value& relative)`, which fills objects of derived
/// types too. Takes the place of an earlier registration.
template <class T, class Save, class Load>
void register_serializer(Save save, Load load, ObjectRegistry& registry = default_registry()) {
  ObjectSerializer serializer;
  serializer.save = [save = std::move(save)](const void* object) -> Value { return save(*static_cast<const T*>(object)); };
  if constexpr (std::is_void_v<std::invoke_result_t<Load, T&, const Value&>>) {
    serializer.load = [load = std::move(load)](void* object, bool, const Value& relative) -> Staged {
      load(*static_cast<T*>(object), relative);
      return {[] {}};
    };
  } else {
    serializer.load = [load = std::move(load)](void* address, bool is_exact, const Value& relative) -> Staged {
      T& object = *static_cast<T*>(address);
      if (!is_exact) refuse_to_slice(object_type<T>());
      auto made = std::make_shared<T>(load(std::as_const(object), relative));
      return {[&object, made] { object = std::move(*made); }};
    };
  }
  registry.serializers.set(&object_type<T>(), std::move(serializer));
}

/// Objects of T, and of what is derived from it, are not written, and stay as they are when everything else is restored.
template <class T>
void register_template_restored(ObjectRegistry& registry = default_registry()) {
  registry.serializers.set(&object_type<T>(), {});
}

}  // namespace perdure::tree
