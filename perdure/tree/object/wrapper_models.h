#pragma once
// Types that stand for another object or for none, and have no key of their own: optional, variant, pointers.
//
// Empty ones are a leaf, None. A stored None empties an optional; a stored plain value or array fills an empty optional, or null pointer,
// of such a type. Structure never appears by itself: the template decides it.
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "perdure/tree/object/fit.h"
#include "perdure/tree/object/model.h"
#include "perdure/tree/object/types.h"

namespace perdure::tree {

/// What an empty wrapper holds after `value` has been put into a new T. `put` takes a T&&.
template <class T, class Put>
Staged stage_new(const Leaf& value, Put put) {
  if constexpr (std::default_initializable<T> && std::movable<T>) {
    auto fresh = std::make_shared<T>();
    Staged staged = object_type<T>().stage(fresh.get(), value);
    staged.assign = [fresh, assign = std::move(staged.assign), put = std::move(put)] {
      assign();
      put(std::move(*fresh));
    };
    return staged;
  } else {
    return object_type<T>().ObjectType::stage(nullptr, value);  // refuses
  }
}

template <class T>
class Model<std::optional<T>> final : public ModelBase<std::optional<T>> {
 public:
  bool is_wrapper() const override { return true; }
  Target target(void* wrapper, const ObjectTypes&) const override {
    std::optional<T>& held = this->object_at(wrapper);
    return held ? Target{slot_of(*held)} : Target{};
  }
  Leaf read(const void* leaf) const override {
    const std::optional<T>& held = this->object_at(leaf);
    return held ? object_type<T>().read(&*held) : Leaf(Scalar(None{}));
  }
  LeafTemplate asked_for(const void* leaf) const override {
    const std::optional<T>& held = this->object_at(leaf);
    LeafTemplate wanted = held ? object_type<T>().asked_for(&*held) : LeafTemplate{};
    wanted.or_none = true;
    return wanted;
  }
  std::optional<ArraySpan> memory(void* leaf) const override {
    std::optional<T>& held = this->object_at(leaf);
    return held ? object_type<T>().memory(&*held) : std::nullopt;
  }
  Staged stage(void* leaf, const Leaf& value) const override {
    std::optional<T>& held = this->object_at(leaf);
    if (is_none(value)) return {[&held] { held.reset(); }};
    if (held) return object_type<T>().stage(&*held, value);
    return stage_new<T>(value, [&held](T&& made) { held = std::move(made); });
  }
};

template <class... T>
class Model<std::variant<T...>> final : public ModelBase<std::variant<T...>> {
  using Variant = std::variant<T...>;

 public:
  bool is_wrapper() const override { return true; }
  Target target(void* wrapper, const ObjectTypes&) const override {
    return {std::visit([](auto& held) { return slot_of(held); }, this->object_at(wrapper))};
  }
  Leaf read(const void* leaf) const override {
    return std::visit([](const auto& held) { return object_type<std::remove_cvref_t<decltype(held)>>().read(&held); },
                      this->object_at(leaf));
  }
  LeafTemplate asked_for(const void*) const override { return {}; }

  /// The first alternative that holds the value as it is; else the one that is there takes it.
  Staged stage(void* leaf, const Leaf& value) const override {
    Variant& variant = this->object_at(leaf);
    std::optional<Staged> staged;
    ((staged ? void() : try_alternative<T>(variant, value, staged)), ...);
    if (staged) return std::move(*staged);
    return std::visit([&](auto& held) { return object_type<std::remove_cvref_t<decltype(held)>>().stage(&held, value); },
                      variant);
  }

 private:
  template <class Alternative>
  static void try_alternative(Variant& variant, const Leaf& value, std::optional<Staged>& staged) {
    if constexpr (std::default_initializable<Alternative> && std::movable<Alternative>) {
      auto* const held = std::get_if<Alternative>(&variant);
      const Alternative empty{};
      if (!fits_as_it_is(object_type<Alternative>().asked_for(held != nullptr ? held : &empty), value)) return;
      staged = held != nullptr ? object_type<Alternative>().stage(held, value)
                               : stage_new<Alternative>(value, [&variant](Alternative&& made) { variant = std::move(made); });
    }
  }
};

/// Pointers that own what they point to; the object may be of a derived type that was registered.
template <class Pointer, class T>
class PointerModel : public ModelBase<Pointer> {
 public:
  bool is_wrapper() const override { return true; }
  Target target(void* wrapper, const ObjectTypes& types) const override {
    Pointer& pointer = this->object_at(wrapper);
    if (pointer == nullptr) return {std::nullopt, true};
    return {types.dynamic_slot(*pointer), true};
  }
  Leaf read(const void*) const override { return Scalar(None{}); }  // asked only when it is null
  LeafTemplate asked_for(const void*) const override { return {}; }
  Staged stage(void* leaf, const Leaf& value) const override {
    Pointer& pointer = this->object_at(leaf);
    if (is_none(value)) return {[] {}};
    if constexpr (std::is_polymorphic_v<T>)
      return ObjectType::stage(leaf, value);
    else
      return stage_new<T>(value, [&pointer](T&& made) { pointer = Pointer(new T(std::move(made))); });
  }

 protected:
  ~PointerModel() = default;
};

template <class T>
class Model<std::unique_ptr<T>> final : public PointerModel<std::unique_ptr<T>, T> {};
template <class T>
class Model<std::shared_ptr<T>> final : public PointerModel<std::shared_ptr<T>, T> {};

template <class T>
class Model<std::reference_wrapper<T>> final : public ModelBase<std::reference_wrapper<T>> {
 public:
  bool is_wrapper() const override { return true; }
  Target target(void* wrapper, const ObjectTypes& types) const override {
    return {types.dynamic_slot(this->object_at(wrapper).get()), true};
  }
};

}  // namespace perdure::tree
