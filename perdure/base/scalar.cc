#include "perdure/base/scalar.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "perdure/base/cast.h"

namespace perdure {
namespace {

constexpr std::array<std::string_view, 8> kNames = {"None", "bool", "int", "float", "complex", "str", "bytes", "handled"};

constexpr double kInt64Limit = 9223372036854775808.0;  // 2**63

Scalar scalar_of_integer(Integer value) {
  return std::visit([](auto&& held) { return Scalar(std::move(held)); }, std::move(value));
}

/// A finite double without its fraction.
Integer int_of_double(double value) {
  if (value >= -kInt64Limit && value < kInt64Limit) return static_cast<std::int64_t>(value);
  std::array<char, 400> digits{};
  std::snprintf(digits.data(), digits.size(), "%.0f", value);
  return BigInt{digits.data()};
}

struct Number {
  double real = 0;
  double imaginary = 0;
  std::optional<Integer> exact_int;  // bool and int: the value as int
};

std::optional<Number> number_of(const Scalar& scalar) {
  if (const auto* value = std::get_if<bool>(&scalar)) return Number{double(*value), 0, Integer(std::int64_t{*value})};
  if (const auto* value = std::get_if<std::int64_t>(&scalar)) return Number{double(*value), 0, *value};
  if (const auto* value = std::get_if<BigInt>(&scalar)) return Number{std::strtod(value->digits.c_str(), nullptr), 0, *value};
  if (const auto* value = std::get_if<double>(&scalar)) return Number{*value, 0, {}};
  if (const auto* value = std::get_if<std::complex<double>>(&scalar)) return Number{value->real(), value->imag(), {}};
  return std::nullopt;
}

bool is_exact(const Number& number) {
  return !number.exact_int || (std::isfinite(number.real) && int_of_double(number.real) == *number.exact_int);
}

std::optional<ConvertedScalar> number_as_int(const Number& number) {
  if (number.exact_int) return ConvertedScalar{scalar_of_integer(*number.exact_int)};
  if (!std::isfinite(number.real)) return std::nullopt;
  const double whole = std::trunc(number.real);
  return ConvertedScalar{scalar_of_integer(int_of_double(whole)), whole != number.real || number.imaginary != 0};
}

std::optional<ConvertedScalar> number_as(const Number& number, ScalarKind kind) {
  switch (kind) {
    case ScalarKind::kBool: {
      const bool truth = number.real != 0 || number.imaginary != 0;
      return ConvertedScalar{truth, number.imaginary != 0 || number.real != double(truth)};
    }
    case ScalarKind::kInt: return number_as_int(number);
    case ScalarKind::kFloat: return ConvertedScalar{number.real, number.imaginary != 0 || !is_exact(number)};
    case ScalarKind::kComplex: return ConvertedScalar{std::complex<double>(number.real, number.imaginary), !is_exact(number)};
    default: return std::nullopt;
  }
}

template <class T>
Element element(DType dtype, const T& value) {
  Element result{dtype, std::vector<std::byte>(sizeof(T))};
  std::memcpy(result.bytes.data(), &value, sizeof(T));
  return result;
}

template <class T>
T cast_element(const ArrayView& source, DType dtype) {
  T value{};
  cast_array(source, ArraySpan::contiguous(reinterpret_cast<std::byte*>(&value), dtype, Shape{}));
  return value;
}

}  // namespace

Integer int_of_digits(std::string digits) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && end == digits.data() + digits.size()) return value;
  return BigInt{std::move(digits)};
}

ScalarKind kind_of(const Scalar& scalar) {
  constexpr std::array kinds = {ScalarKind::kNone, ScalarKind::kBool,  ScalarKind::kInt,
                                ScalarKind::kInt,  ScalarKind::kFloat, ScalarKind::kComplex,
                                ScalarKind::kText, ScalarKind::kBytes, ScalarKind::kHandled};
  static_assert(kinds.size() == std::variant_size_v<Scalar>);
  return kinds[scalar.index()];
}

std::string_view name(ScalarKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::optional<ConvertedScalar> convert(const Scalar& scalar, ScalarKind kind) {
  if (kind_of(scalar) == kind) return ConvertedScalar{scalar};
  const std::optional<Number> number = number_of(scalar);
  return number ? number_as(*number, kind) : std::nullopt;
}

std::optional<Element> element_of(const Scalar& scalar) {
  if (const auto* value = std::get_if<bool>(&scalar)) return element(DType::kBool, *value);
  if (const auto* value = std::get_if<std::int64_t>(&scalar)) return element(DType::kInt64, *value);
  if (const auto* value = std::get_if<double>(&scalar)) return element(DType::kFloat64, *value);
  if (const auto* value = std::get_if<std::complex<double>>(&scalar)) return element(DType::kComplex128, *value);
  return std::nullopt;
}

Scalar scalar_of(const ArrayView& array) {
  switch (info(array.dtype).kind) {
    case DTypeKind::kBool: return *array.data != std::byte{0};  // any byte may come from a file
    case DTypeKind::kInt: return cast_element<std::int64_t>(array, DType::kInt64);
    case DTypeKind::kUint:
      return scalar_of_integer(int_of_digits(std::to_string(cast_element<std::uint64_t>(array, DType::kUint64))));
    case DTypeKind::kFloat: return cast_element<double>(array, DType::kFloat64);
    case DTypeKind::kComplex: return cast_element<std::complex<double>>(array, DType::kComplex128);
  }
  return None{};
}

}  // namespace perdure
