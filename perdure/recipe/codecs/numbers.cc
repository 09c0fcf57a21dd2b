#include "perdure/recipe/codecs/numbers.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "perdure/base/hex.h"
#include "perdure/base/origin.h"
#include "perdure/base/scalar.h"
#include "perdure/recipe/canonical.h"
#include "perdure/recipe/codecs/table.h"
#include "perdure/recipe/limits.h"

namespace perdure::recipe {
namespace {

using Kind = Expected::Kind;

constexpr std::string_view kFloat = "__float__";      // "nan", "inf", "-inf", or the bits of another NaN: "0x7ff8000000000123"
constexpr std::string_view kComplex = "__complex__";  // [real, imaginary]

bool is_plain_integer(std::string_view text) { return text.find_first_of(".eE") == std::string_view::npos; }

Value integer_value(const std::string& digits) {
  return std::visit([](auto&& held) { return Value{std::move(held)}; }, int_of_digits(digits));
}

Value read_int(const json::Value& payload, const Place& place, Reader&) {
  const std::string& digits = text_of(payload, place.where);
  if (!is_decimal(digits) || digits.size() > kLimits.digits_max) fail(place.where, "expected the digits of an integer");
  return integer_value(digits);
}

std::string non_finite_text(double number) {
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  const auto bits = std::bit_cast<std::uint64_t>(number);
  if (bits == std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN())) return "nan";
  std::string text = "0x";
  append_hex(text, static_cast<std::uint32_t>(bits >> 32), 8);
  append_hex(text, static_cast<std::uint32_t>(bits), 8);
  return text;
}

double non_finite(const std::string& text, const JsonPath& where) {
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  std::uint64_t bits = 0;
  const auto [end, error] =
      std::from_chars(text.data() + std::min<std::size_t>(2, text.size()), text.data() + text.size(), bits, 16);
  const double number = std::bit_cast<double>(bits);
  if (error != std::errc() || end != text.data() + text.size() || !std::isnan(number) || non_finite_text(number) != text) {
    fail(where, quoted(text) + " is no NaN or infinity");
  }
  return number;
}

json::Value write_float(double number) {
  if (std::isfinite(number)) return number;
  return tagged(kFloat, non_finite_text(number));
}

double float_of(const json::Value& payload, const JsonPath& where) {
  if (payload.is_number() && !is_plain_integer(payload.as_number().text)) return payload.as_double();
  const auto* tag = payload.is_object() ? find_tag(payload.as_object()) : nullptr;
  if (tag == nullptr || tag->first != kFloat) fail(where, "expected a float");
  return non_finite(text_of(tag->second, where), where);
}

json::Value write_complex(const Value& value, int) {
  const auto& number = std::get<std::complex<double>>(value.data);
  return tagged(kComplex, json::Array{write_float(number.real()), write_float(number.imag())});
}

Value read_complex(const json::Value& payload, const Place& place, Reader&) {
  const auto [real, imaginary] = two_items(payload, place.where);
  return {std::complex<double>(float_of(*real, place.where), float_of(*imaginary, place.where))};
}

/// np.float32(1) where a float is expected.
bool is_numpy_scalar(const Value& value, DTypeKind widest) {
  const ArrayValue* array = value.get_if<ArrayValue>();
  if (array == nullptr || array->origin != origins::kNumpyScalar) return false;
  const DTypeKind kind = info(array->dtype).kind;
  if (widest == DTypeKind::kBool || kind == DTypeKind::kBool) return kind == widest;
  return kind <= widest || (widest == DTypeKind::kInt && kind == DTypeKind::kUint);
}

bool fits_bool(const Value& value, const Expected&) { return value.is<bool>() || is_numpy_scalar(value, DTypeKind::kBool); }

bool is_whole(const Value& value) { return value.is<std::int64_t>() || value.is<BigInt>() || value.is<bool>(); }

bool fits_int(const Value& value, const Expected&) { return is_whole(value) || is_numpy_scalar(value, DTypeKind::kInt); }

bool fits_float(const Value& value, const Expected&) {
  return is_whole(value) || value.is<double>() || is_numpy_scalar(value, DTypeKind::kFloat);
}

bool fits_complex(const Value& value, const Expected&) {
  return is_whole(value) || value.is<double>() || value.is<std::complex<double>>() || is_numpy_scalar(value, DTypeKind::kComplex);
}

}  // namespace

Value read_number(const json::Value& number) {
  const std::string& text = number.as_number().text;
  return is_plain_integer(text) ? integer_value(text) : Value{number.as_double()};
}

constinit const ValueCodec kBoolCodec = {.kind_name = "a bool", .can_be_key = true, .write = [](const Value& value, int) {
                                           return json::Value(std::get<bool>(value.data));
                                         }};
constinit const ValueCodec kIntCodec = {.kind_name = "an int", .can_be_key = true, .write = [](const Value& value, int) {
                                          return json::Value(std::get<std::int64_t>(value.data));
                                        }};
constinit const ValueCodec kBigIntCodec = {
    .kind_name = "an int",
    .tag = kIntTag,
    .can_be_key = true,
    .write = [](const Value& value, int) { return written_integer(std::get<BigInt>(value.data).digits); },
    .read = read_int};
constinit const ValueCodec kFloatCodec = {
    .kind_name = "a float",
    .tag = kFloat,
    .can_be_key = true,
    .write = [](const Value& value, int) { return write_float(std::get<double>(value.data)); },
    .read = [](const json::Value& payload, const Place& place,
               Reader&) { return Value{non_finite(text_of(payload, place.where), place.where)}; }};
constinit const ValueCodec kComplexCodec = {
    .kind_name = "a complex number", .tag = kComplex, .can_be_key = true, .write = write_complex, .read = read_complex};

constinit const ExpectedForm kBoolForm = {Kind::kBool, "bool", "bool", fits_bool};
constinit const ExpectedForm kIntForm = {Kind::kInt, "int", "int", fits_int};
constinit const ExpectedForm kFloatForm = {Kind::kFloat, "float", "float", fits_float};
constinit const ExpectedForm kComplexForm = {Kind::kComplex, "complex", "complex", fits_complex};

}  // namespace perdure::recipe
