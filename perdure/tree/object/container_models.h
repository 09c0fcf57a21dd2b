#pragma once
// Containers of the standard library: sequences, tuples, and mappings with plain keys.
#include <algorithm>
#include <array>
#include <concepts>
#include <deque>
#include <list>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "perdure/tree/object/array_models.h"
#include "perdure/tree/object/leaf_models.h"
#include "perdure/tree/object/model.h"

namespace perdure::tree {

template <class T>
struct is_sequence : std::false_type {};
template <class T, class A>
struct is_sequence<std::vector<T, A>> : std::true_type {};
template <class T, class A>
struct is_sequence<std::deque<T, A>> : std::true_type {};
template <class T, class A>
struct is_sequence<std::list<T, A>> : std::true_type {};
template <class T, std::size_t N>
struct is_sequence<std::array<T, N>> : std::true_type {};
template <class T, std::size_t N>
struct is_sequence<T[N]> : std::true_type {};

template <class T>
concept SequenceType = is_sequence<T>::value && !ArrayType<T> && !PlainType<T> && !std::same_as<T, std::vector<bool>>;

template <SequenceType T>
class Model<T> final : public ModelBase<T> {
 public:
  NodeKind kind() const override { return NodeKind::kList; }
  void append_children(void* object, std::vector<SlotItem>& out) const override {
    std::int64_t position = 0;
    for (auto& child : this->object_at(object)) out.push_back({Key(position++), slot_of(child)});
  }
};

template <class T>
struct is_tuple : std::false_type {};
template <class... T>
struct is_tuple<std::tuple<T...>> : std::true_type {};
template <class A, class B>
struct is_tuple<std::pair<A, B>> : std::true_type {};

template <class T>
requires is_tuple<T>::value class Model<T> final : public ModelBase<T> {
 public:
  NodeKind kind() const override { return NodeKind::kTuple; }
  void append_children(void* object, std::vector<SlotItem>& out) const override {
    std::int64_t position = 0;
    std::apply([&](auto&... child) { (out.push_back({Key(position++), slot_of(child)}), ...); }, this->object_at(object));
  }
};

/// Keys as Python's dict could have them.
template <class T>
concept KeyType = std::same_as<T, std::string> || std::same_as<T, Text> || std::integral<T> || std::is_enum_v<T>;

template <KeyType K>
Key to_key(const K& key) {
  if constexpr (std::is_enum_v<K>)
    return Key(static_cast<std::underlying_type_t<K>>(key));
  else
    return Key(key);
}

template <class T>
struct is_mapping : std::false_type {};
template <KeyType K, class V, class C, class A>
struct is_mapping<std::map<K, V, C, A>> : std::true_type {};
template <KeyType K, class V, class H, class E, class A>
struct is_mapping<std::unordered_map<K, V, H, E, A>> : std::true_type {};

template <class T>
requires is_mapping<T>::value class Model<T> final : public ModelBase<T> {
 public:
  NodeKind kind() const override { return NodeKind::kMapping; }
  void append_children(void* object, std::vector<SlotItem>& out) const override {
    std::vector<typename T::value_type*> items;  // by key: a hash table has no order of its own
    for (auto& item : this->object_at(object)) items.push_back(&item);
    if constexpr (!requires { typename T::key_compare; }) {
      std::ranges::sort(
          items, {}, [](const auto* item) -> const auto& { return item->first; });
    }
    for (auto* item : items) out.push_back({to_key(item->first), slot_of(item->second)});
  }
};

}  // namespace perdure::tree
