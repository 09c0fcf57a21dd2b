#pragma once
// Calling a constructor with arguments whose types only the compiler knows: an Argument becomes whatever its parameter is.
#include <any>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

#include "perdure/recipe/convert.h"

namespace perdure::recipe {

/// An object of a registered class, and the pointers to its declared bases.
class BuiltObject {
 public:
  template <class T, class... Bases>
  static BuiltObject of(std::shared_ptr<T> object) {
    BuiltObject built;
    (built.pointers_.emplace_back(typeid(Bases), std::shared_ptr<Bases>(object)), ...);
    built.pointers_.emplace_back(typeid(T), std::move(object));
    return built;
  }

  /// Throws a RecipeError if the object is no T.
  template <class T>
  std::shared_ptr<T> as(const JsonPath& where) const {
    for (const auto& [type, pointer] : pointers_) {
      if (type == typeid(T)) return std::any_cast<std::shared_ptr<T>>(pointer);
    }
    fail_type(where, "an object of another class was expected");
  }

 private:
  std::vector<std::pair<std::type_index, std::any>> pointers_;
};

/// An argument of a constructor: a value, a built object, or a list with built objects.
struct ArgumentObject {
  std::any content;  // Value, BuiltObject, std::vector<ArgumentObject>
  JsonPath where;

  template <class U>
  U as() const;
};

template <class T>
struct PointedTo {};
template <class T>
struct PointedTo<std::shared_ptr<T>> {
  using type = T;
};
template <class T>
concept SharedPointer = requires {
  typename PointedTo<T>::type;
};

template <class T>
struct VectorItem {};
template <class T>
struct VectorItem<std::vector<T>> {
  using type = T;
};
template <class T>
concept VectorOfPointers = requires {
  requires SharedPointer<typename VectorItem<T>::type>;
};

template <class U>
U ArgumentObject::as() const {
  if constexpr (VectorOfPointers<U>) {
    U items;
    if (const auto* objects = std::any_cast<std::vector<ArgumentObject>>(&content)) {
      for (const ArgumentObject& object : *objects) items.push_back(object.as<typename VectorItem<U>::type>());
      return items;
    }
    const Value* value = std::any_cast<Value>(&content);
    const ListValue* list = value == nullptr ? nullptr : value->get_if<ListValue>();
    if (list == nullptr || !list->items.empty()) fail(where, "expected a list of recipes");
    return items;
  } else if constexpr (HoldsValue<U>) {
    if (const Value* value = std::any_cast<Value>(&content)) return FromValue<U>::get(*value, where);
    fail(where, "a recipe where a plain value is expected");
  } else {
    if (const BuiltObject* object = std::any_cast<BuiltObject>(&content)) {
      if constexpr (SharedPointer<U>) {
        return object->as<typename PointedTo<U>::type>(where);
      } else {
        return *object->as<U>(where);
      }
    }
    if constexpr (SharedPointer<U>) {
      const Value* value = std::any_cast<Value>(&content);
      if (value != nullptr && value->is<None>()) return nullptr;
    }
    fail(where, "expected a recipe");
  }
}

/// Converts to the parameter's type; not to the class under construction, whose copy constructor would take it.
template <class Owner>
struct ParameterOf {
  const ArgumentObject* object;

  template <class U>
  requires(!std::is_same_v<std::remove_cvref_t<U>, Owner>) operator U() const { return object->as<U>(); }
};

/// How the objects of one class are made.
struct Constructor {
  std::vector<std::string> names;
  std::size_t required_count = 0;
  std::function<BuiltObject(std::span<const ArgumentObject>)> construct;  // with the first arguments, at least the required ones
};

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return std::is_constructible_v<T, decltype((void)I, std::declval<ParameterOf<T>>())...>;
}

/// The smallest count from which on up to N every number of arguments is taken.
template <class T, std::size_t N>
constexpr std::size_t required_count_of() {
  if constexpr (N > 0) {
    if constexpr (takes<T>(std::make_index_sequence<N - 1>())) return required_count_of<T, N - 1>();
  }
  return N;
}

template <class T, class... Bases, std::size_t... I>
BuiltObject construct_with([[maybe_unused]] std::span<const ArgumentObject> arguments, std::index_sequence<I...>) {
  return BuiltObject::of<T, Bases...>(std::make_shared<T>(ParameterOf<T>{&arguments[I]}...));
}

template <class T, std::size_t N, std::size_t Required, class... Bases>
BuiltObject construct_first(std::span<const ArgumentObject> arguments) {
  if constexpr (N > Required) {
    if (arguments.size() < N) return construct_first<T, N - 1, Required, Bases...>(arguments);
  }
  return construct_with<T, Bases...>(arguments, std::make_index_sequence<N>());
}

template <class T, std::size_t N, class... Bases>
Constructor constructor_of(std::vector<std::string> names) {
  static_assert(takes<T>(std::make_index_sequence<N>()),
                "no constructor, or more than one, takes so many arguments of types that a recipe can hold");
  constexpr std::size_t kRequired = required_count_of<T, N>();
  return {std::move(names), kRequired, construct_first<T, N, kRequired, Bases...>};
}

}  // namespace perdure::recipe
