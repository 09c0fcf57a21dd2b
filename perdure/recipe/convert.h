#pragma once
// Values of recipes from and to C++ types: bool, integers, floats, std::complex, std::string, std::vector, std::map with text keys,
// std::tuple, perdure::DType, Spec.
//
// To add a type: an overload of to_value and a specialization of FromValue.
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "perdure/base/dtype.h"
#include "perdure/recipe/spec.h"
#include "perdure/recipe/value.h"

namespace perdure::recipe {

/// FromValue<T>::get(value, where) is the C++ object; throws a RecipeError for a value that T does not hold exactly.
template <class T>
struct FromValue;

template <class T>
concept HoldsValue = requires(const Value& value, const JsonPath& where) {
  { FromValue<T>::get(value, where) } -> std::convertible_to<T>;
};

[[noreturn]] inline void fail_conversion(const Value& value, const std::string& expected, const JsonPath& where) {
  fail(where, "expected " + expected + ", found " + value.kind_name());
}

template <>
struct FromValue<bool> {
  static bool get(const Value& value, const JsonPath& where) {
    if (const bool* truth = value.get_if<bool>()) return *truth;
    fail_conversion(value, "a bool", where);
  }
};

template <std::integral T>
requires(!std::same_as<T, bool>) struct FromValue<T> {
  static T get(const Value& value, const JsonPath& where) {
    const std::int64_t* number = value.get_if<std::int64_t>();
    if (number == nullptr || !std::in_range<T>(*number)) {
      fail_conversion(value, "an int of " + std::to_string(8 * sizeof(T)) + " bits", where);
    }
    return static_cast<T>(*number);
  }
};

template <std::floating_point T>
struct FromValue<T> {
  static T get(const Value& value, const JsonPath& where) {
    if (const double* number = value.get_if<double>()) return static_cast<T>(*number);
    if (const std::int64_t* number = value.get_if<std::int64_t>()) return static_cast<T>(*number);
    fail_conversion(value, "a float", where);
  }
};

template <>
struct FromValue<std::complex<double>> {
  static std::complex<double> get(const Value& value, const JsonPath& where) {
    if (const auto* number = value.get_if<std::complex<double>>()) return *number;
    return FromValue<double>::get(value, where);
  }
};

template <>
struct FromValue<std::string> {
  static std::string get(const Value& value, const JsonPath& where) {
    if (const Text* text = value.get_if<Text>()) return text->utf8;
    fail_conversion(value, "text", where);
  }
};

template <>
struct FromValue<DType> {
  static DType get(const Value& value, const JsonPath& where);
};

template <>
struct FromValue<Spec> {
  static Spec get(const Value& value, const JsonPath& where) {
    if (const SpecValue* spec = value.get_if<SpecValue>()) return **spec;
    fail_conversion(value, "a spec", where);
  }
};

template <HoldsValue T>
struct FromValue<std::vector<T>> {
  static std::vector<T> get(const Value& value, const JsonPath& where) {
    const ListValue* list = value.get_if<ListValue>();
    const TupleValue* tuple = value.get_if<TupleValue>();
    if (list == nullptr && tuple == nullptr) fail_conversion(value, "a list", where);
    std::vector<T> items;
    for (const Value& item : list != nullptr ? list->items : tuple->items) {
      items.push_back(FromValue<T>::get(item, where.index(items.size())));
    }
    return items;
  }
};

template <HoldsValue T>
struct FromValue<std::map<std::string, T>> {
  static std::map<std::string, T> get(const Value& value, const JsonPath& where) {
    const DictValue* dict = value.get_if<DictValue>();
    if (dict == nullptr) fail_conversion(value, "a dict", where);
    std::map<std::string, T> items;
    for (const auto& [key, item] : dict->items) {
      const std::string name = FromValue<std::string>::get(key, where);
      items.emplace(name, FromValue<T>::get(item, where.key(name)));
    }
    return items;
  }
};

template <HoldsValue... Ts>
struct FromValue<std::tuple<Ts...>> {
  static std::tuple<Ts...> get(const Value& value, const JsonPath& where) {
    const TupleValue* tuple = value.get_if<TupleValue>();
    if (tuple == nullptr || tuple->items.size() != sizeof...(Ts)) {
      fail_conversion(value, "a tuple of " + std::to_string(sizeof...(Ts)), where);
    }
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<Ts...>{FromValue<Ts>::get(tuple->items[I], where.index(I))...};
    }
    (std::index_sequence_for<Ts...>());
  }
};

Value to_value(std::nullptr_t);
Value to_value(std::string text);
inline Value to_value(const char* text) { return to_value(std::string(text)); }
Value to_value(DType dtype);
Value to_value(Spec spec);
Value to_value(std::complex<double> number);

template <class T>
requires(std::is_arithmetic_v<T>) Value to_value(T number) {
  if constexpr (std::is_same_v<T, bool>) {
    return {number};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {static_cast<double>(number)};
  } else {
    if (std::in_range<std::int64_t>(number)) return {static_cast<std::int64_t>(number)};
    return {BigInt{std::to_string(number)}};
  }
}

template <class T>
Value to_value(const std::vector<T>& items) {
  ListValue list;
  for (const T& item : items) list.items.push_back(to_value(item));
  return {std::move(list)};
}

template <class T>
Value to_value(const std::map<std::string, T>& items) {
  DictValue dict;
  for (const auto& [key, item] : items) dict.items.push_back({to_value(key), to_value(item)});
  return {std::move(dict)};
}

template <class... Ts>
Value to_value(const std::tuple<Ts...>& items) {
  return std::apply([](const Ts&... item) { return Value{TupleValue{{to_value(item)...}}}; }, items);
}

}  // namespace perdure::recipe
