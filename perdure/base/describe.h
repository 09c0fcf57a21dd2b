#pragma once
// How a C++ type says what it is made of: its name, its bases and its fields. Trees and recipes see objects through it.
//
//   struct Adam : Optimizer {
//     std::vector<float> mu;
//     std::int64_t step = 0;
//   };
//   template <>
//   constexpr auto perdure::describe<Adam>() {
//     return record<Adam>("trainer.Adam", bases<Optimizer>(), field("mu", &Adam::mu), field("step", &Adam::step));
//   }
//
// A class template, or a class whose fields are private, has a public `static constexpr auto describe()` with that body instead.
// A description stands where the type is defined: every file that uses the type must see it.
#include <string_view>
#include <tuple>
#include <type_traits>

namespace perdure {

struct NotDescribed {};

/// To be specialized. Looks for T::describe() otherwise.
template <class T>
constexpr auto describe() {
  if constexpr (requires { T::describe(); })
    return T::describe();
  else
    return NotDescribed{};
}

template <class Class, class Member>
struct Field {
  std::string_view name;
  Member Class::*member;
};
/// A field under the name that it has in key paths.
template <class Class, class Member>
constexpr Field<Class, Member> field(std::string_view name, Member Class::*member) {
  return {name, member};
}

template <class... T>
struct Bases {};
/// The bases whose fields are fields of the type too, in the order of the class head.
template <class... T>
constexpr Bases<T...> bases() {
  return {};
}

/// A struct whose state is its fields.
template <class T, class BaseList, class... Fields>
struct Record {
  using BaseTypes = BaseList;
  std::string_view name;  // "module.Class": recorded in checkpoints; a Python dataclass of that name gets its fields back
  std::tuple<Fields...> fields;
};
template <class T, class... Classes, class... Members>
constexpr auto record(std::string_view name, Field<Classes, Members>... fields) {
  static_assert((std::is_base_of_v<Classes, T> && ...), "a field of record<T>() is no member of T");
  return Record<T, Bases<>, Field<Classes, Members>...>{name, {fields...}};
}
template <class T, class... B, class... Classes, class... Members>
constexpr auto record(std::string_view name, Bases<B...>, Field<Classes, Members>... fields) {
  static_assert((std::is_base_of_v<B, T> && ...), "a class of bases<>() is no base of T");
  static_assert((std::is_convertible_v<T*, B*> && ...), "T has a base twice, or not publicly: inherit it publicly and virtually");
  static_assert((std::is_base_of_v<Classes, T> && ...), "a field of record<T>() is no member of T");
  return Record<T, Bases<B...>, Field<Classes, Members>...>{name, {fields...}};
}

/// A type whose fields nobody needs to know: a serializer is registered for it (tree/type_registry.h).
template <class T, class BaseList = Bases<>>
struct Opaque {
  using BaseTypes = BaseList;
  std::string_view name;
};
template <class T, class... B>
constexpr Opaque<T, Bases<B...>> opaque(std::string_view name, Bases<B...> = {}) {
  return {name};
}

template <class T>
using DescriptionOf = decltype(describe<T>());

template <class T>
concept Described = !std::is_same_v<DescriptionOf<T>, NotDescribed>;

}  // namespace perdure
