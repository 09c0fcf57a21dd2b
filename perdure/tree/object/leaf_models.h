#pragma once
// Plain values: bool, integers, enums, floats, complex numbers, text, bytes.
#include <complex>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "perdure/tree/object/fit.h"
#include "perdure/tree/object/model.h"

namespace perdure::tree {

template <class T>
struct is_complex : std::false_type {};
template <std::floating_point T>
struct is_complex<std::complex<T>> : std::true_type {};

template <class T>
inline constexpr bool kIsBytes = std::same_as<T, Blob> || std::same_as<T, std::vector<std::byte>>;

template <class T>
concept PlainType = std::is_arithmetic_v<T> || std::is_enum_v<T> || is_complex<T>::value || std::same_as<T, std::string> ||
    std::same_as<T, Text> || std::same_as<T, BigInt> || std::same_as<T, std::monostate> || kIsBytes<T>;

template <PlainType T>
constexpr ScalarKind scalar_kind_of() {
  if constexpr (std::same_as<T, std::monostate>)
    return ScalarKind::kNone;
  else if constexpr (std::same_as<T, bool>)
    return ScalarKind::kBool;
  else if constexpr (std::integral<T> || std::is_enum_v<T> || std::same_as<T, BigInt>)
    return ScalarKind::kInt;
  else if constexpr (std::floating_point<T>)
    return ScalarKind::kFloat;
  else if constexpr (is_complex<T>::value)
    return ScalarKind::kComplex;
  else
    return kIsBytes<T> ? ScalarKind::kBytes : ScalarKind::kText;
}

template <PlainType T>
Scalar to_scalar(const T& value) {
  if constexpr (std::same_as<T, std::monostate>)
    return None{};
  else if constexpr (std::is_enum_v<T>)
    return to_scalar(static_cast<std::underlying_type_t<T>>(value));
  else if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    if (std::cmp_greater(value, std::numeric_limits<std::int64_t>::max())) return BigInt{std::to_string(value)};
    return static_cast<std::int64_t>(value);
  } else if constexpr (std::floating_point<T>)
    return static_cast<double>(value);
  else if constexpr (is_complex<T>::value)
    return std::complex<double>(value);
  else if constexpr (std::same_as<T, std::string>)
    return Text{value};
  else if constexpr (std::same_as<T, std::vector<std::byte>>)
    return Blob::from(value);
  else
    return value;
}

template <PlainType T>
T from_leaf(const Leaf& leaf, bool& lossy) {
  if constexpr (std::is_enum_v<T>)
    return static_cast<T>(from_leaf<std::underlying_type_t<T>>(leaf, lossy));
  else if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::signed_integral<T>)
      return static_cast<T>(fit_signed(leaf, Limits::min(), Limits::max(), lossy));
    else
      return static_cast<T>(fit_unsigned(leaf, Limits::max(), lossy));
  } else {
    Scalar value = fit_scalar(leaf, scalar_kind_of<T>(), lossy);
    if constexpr (std::same_as<T, std::monostate>)
      return {};
    else if constexpr (std::floating_point<T>)
      return static_cast<T>(std::get<double>(value));
    else if constexpr (is_complex<T>::value)
      return static_cast<T>(std::get<std::complex<double>>(value));
    else if constexpr (std::same_as<T, std::string>)
      return std::move(std::get<Text>(value).utf8);
    else if constexpr (std::same_as<T, std::vector<std::byte>>) {
      const ByteView bytes = std::get<Blob>(value);
      return {bytes.begin(), bytes.end()};
    } else if constexpr (std::same_as<T, BigInt>) {
      const auto* const small = std::get_if<std::int64_t>(&value);
      return small != nullptr ? BigInt{std::to_string(*small)} : std::get<BigInt>(value);
    } else
      return std::get<T>(value);
  }
}

template <PlainType T>
class Model<T> final : public ModelBase<T> {
 public:
  Leaf read(const void* leaf) const override { return to_scalar(this->object_at(leaf)); }

  LeafTemplate asked_for(const void*) const override {
    LeafTemplate wanted;
    wanted.kind = LeafTemplate::Kind::kScalar;
    wanted.scalar_kind = scalar_kind_of<T>();
    return wanted;
  }

  Staged stage(void* leaf, const Leaf& value) const override {
    Staged staged;
    T& object = this->object_at(leaf);
    auto fitted = std::make_shared<T>(from_leaf<T>(value, staged.lossy));
    staged.assign = [&object, fitted] { object = std::move(*fitted); };
    return staged;
  }
};

}  // namespace perdure::tree
