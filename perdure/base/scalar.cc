#include "perdure/base/scalar.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "perdure/base/cast.h"

namespace perdure {
namespace {

struct Row {
  ScalarKind kind;
  std::string_view name;         // of the kind
  std::string_view description;  // of the value
  bool is_number = false;
};

// One for each alternative of Scalar, in its order.
constexpr Row kRows[] = {
    {ScalarKind::kNone, "None", "None"},
    {ScalarKind::kBool, "bool", "a bool", true},
    {ScalarKind::kInt, "int", "an integer", true},
    {ScalarKind::kInt, "int", "a big integer", true},
    {ScalarKind::kFloat, "float", "a float", true},
    {ScalarKind::kComplex, "complex", "a complex number", true},
    {ScalarKind::kText, "str", "text"},
    {ScalarKind::kBytes, "bytes", "bytes"},
    {ScalarKind::kHandled, "handled", "a value of a handler"},
};
static_assert(std::size(kRows) == std::variant_size_v<Scalar>);

constexpr const Row* row_of(ScalarKind kind) { return std::ranges::find(kRows, kind, &Row::kind); }
const Row& row_of(const Scalar& scalar) { return kRows[scalar.index()]; }

/// Alternatives of Scalar without a value as number. Named, so that a new one is not taken for one of them.
template <class T>
concept NoNumber = std::same_as<T, None> || std::same_as<T, Text> || std::same_as<T, Blob> || std::same_as<T, Handled>;

template <std::equality_comparable T>
bool same_bits(const T& a, const T& b) {
  return a == b;
}
bool same_bits(const Blob& a, const Blob& b) { return a.text() == b.text(); }
bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
bool same_bits(const std::complex<double>& a, const std::complex<double>& b) {
  return same_bits(a.real(), b.real()) && same_bits(a.imag(), b.imag());
}

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

struct ToNumber {
  std::optional<Number> operator()(bool value) const { return Number{double(value), 0, Integer(std::int64_t{value})}; }
  std::optional<Number> operator()(std::int64_t value) const { return Number{double(value), 0, value}; }
  std::optional<Number> operator()(const BigInt& value) const {
    return Number{std::strtod(value.digits.c_str(), nullptr), 0, value};
  }
  std::optional<Number> operator()(double value) const { return Number{value, 0, {}}; }
  std::optional<Number> operator()(const std::complex<double>& value) const { return Number{value.real(), value.imag(), {}}; }
  std::optional<Number> operator()(const NoNumber auto&) const { return std::nullopt; }
};

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
    case ScalarKind::kNone:
    case ScalarKind::kText:
    case ScalarKind::kBytes:
    case ScalarKind::kHandled: break;
  }
  return std::nullopt;
}

template <class T>
Element element(DType dtype, const T& value) {
  Element result{dtype, std::vector<std::byte>(sizeof(T))};
  std::memcpy(result.bytes.data(), &value, sizeof(T));
  return result;
}

struct ToElement {
  std::optional<Element> operator()(bool value) const { return element(DType::kBool, value); }
  std::optional<Element> operator()(std::int64_t value) const { return element(DType::kInt64, value); }
  std::optional<Element> operator()(const BigInt&) const { return std::nullopt; }
  std::optional<Element> operator()(double value) const { return element(DType::kFloat64, value); }
  std::optional<Element> operator()(const std::complex<double>& value) const { return element(DType::kComplex128, value); }
  std::optional<Element> operator()(const NoNumber auto&) const { return std::nullopt; }
};

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

ScalarKind kind_of(const Scalar& scalar) { return row_of(scalar).kind; }
std::string_view name(ScalarKind kind) { return row_of(kind)->name; }
bool is_number(ScalarKind kind) { return row_of(kind)->is_number; }
std::string_view describe(const Scalar& scalar) { return row_of(scalar).description; }

bool is_same(const Scalar& a, const Scalar& b) {
  if (a.index() != b.index()) return false;
  return std::visit([&b]<class T>(const T& value) { return same_bits(value, std::get<T>(b)); }, a);
}

bool is_decimal(std::string_view digits) {
  if (digits == "0") return true;
  if (digits.starts_with('-')) digits.remove_prefix(1);
  return !digits.empty() && digits.front() != '0' && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<ConvertedScalar> convert(const Scalar& scalar, ScalarKind kind) {
  if (kind_of(scalar) == kind) return ConvertedScalar{scalar};
  const std::optional<Number> number = std::visit(ToNumber{}, scalar);
  return number ? number_as(*number, kind) : std::nullopt;
}

std::optional<Element> element_of(const Scalar& scalar) { return std::visit(ToElement{}, scalar); }

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
