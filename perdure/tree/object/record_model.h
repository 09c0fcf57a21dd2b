#pragma once
// Described types: records, and opaque ones that only a registered serializer or a leaf handler can handle.
#include <concepts>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "perdure/base/describe.h"
#include "perdure/base/leaf.h"
#include "perdure/tree/object/model.h"

namespace perdure::tree {

template <class T, class... B>
std::vector<BaseLink> base_links(Bases<B...>) {
  return {BaseLink{&object_type<B>(), [](void* derived) -> void* { return static_cast<B*>(static_cast<T*>(derived)); }}...};
}

template <Described T>
class Model<T> final : public ModelBase<T> {
  using Description = DescriptionOf<T>;
  static constexpr bool kIsRecord = requires(Description description) { description.fields; };

 public:
  NodeKind kind() const override { return kIsRecord ? NodeKind::kRecord : NodeKind::kLeaf; }
  bool is_known() const override { return kIsRecord; }
  TypeName class_name() const override { return class_name_of(describe<T>().name); }
  std::vector<BaseLink> bases() const override { return base_links<T>(typename Description::BaseTypes{}); }

  void append_own_fields(void* object, std::vector<SlotItem>& out) const override {
    if constexpr (kIsRecord) {
      using Fields = decltype(Description::fields);
      append_fields(this->object_at(object), out, std::make_index_sequence<std::tuple_size_v<Fields>>());
    }
  }

  /// Takes what a leaf handler has made.
  Staged stage(void* leaf, const Leaf& value) const override {
    if constexpr (std::copyable<T>) {
      const Handled* const handled = find_handled(value);
      if (const T* const made = handled == nullptr ? nullptr : handled->as<T>()) {
        return {[&object = this->object_at(leaf), copy = std::make_shared<T>(*made)] { object = std::move(*copy); }};
      }
    }
    return ObjectType::stage(leaf, value);
  }

 private:
  template <std::size_t... I>
  static void append_fields([[maybe_unused]] T& record, [[maybe_unused]] std::vector<SlotItem>& out, std::index_sequence<I...>) {
    [[maybe_unused]] static constexpr Description kDescription = describe<T>();
    (out.push_back({Key(std::get<I>(kDescription.fields).name), slot_of(record.*std::get<I>(kDescription.fields).member)}), ...);
  }
};

}  // namespace perdure::tree
