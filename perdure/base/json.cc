#include "perdure/base/json.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "perdure/base/error.h"

namespace perdure::json {
namespace {

template <class Arithmetic>
std::string shortest_text(Arithmetic value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

/// Python tells a float from an int by its point or exponent.
std::string float_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  std::string text = shortest_text(value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

[[noreturn]] void fail_kind(const std::string& expected, const Value& found) {
  const bool vowel = found.is_array() || found.is_object();
  const std::string what = found.is_number() ? found.as_number().text
                           : found.is_null() ? "null"
                                             : (vowel ? "an " : "a ") + std::string(found.kind_name());
  throw Error(ErrorKind::kCorrupt, "expected " + expected + ", found " + what);
}

template <class Integer>
Integer integer_of(const Value& value) {
  if (!value.is_number()) fail_kind("an integer", value);
  const std::string& text = value.as_number().text;
  Integer result{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error != std::errc() || end != text.data() + text.size()) {
    fail_kind("an integer of " + std::to_string(8 * sizeof(Integer)) + " bits", value);
  }
  return result;
}

/// The power of ten of the first digit that is not zero: 2 for "123.4", -2 for "0.01", 400 for "1e400".
std::int64_t decimal_exponent(std::string_view text) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, e);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  const std::int64_t place = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) - (first < point ? 1 : 0);
  std::string_view exponent = text.substr(std::min(e + 1, text.size()));
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  std::int64_t value = 0;
  const auto result = std::from_chars(exponent.data(), exponent.data() + exponent.size(), value);
  if (result.ec == std::errc::result_out_of_range) return exponent.starts_with('-') ? -1 : 1;
  return value / 2 + place / 2;  // only the sign matters, and it must not overflow
}

}  // namespace

Value::Value(bool value) : data_(value) {}
Value::Value(std::int64_t value) : data_(Number{shortest_text(value)}) {}
Value::Value(std::uint64_t value) : data_(Number{shortest_text(value)}) {}
Value::Value(double value) : data_(Number{float_text(value)}) {}
Value::Value(Number value) : data_(std::move(value)) {}
Value::Value(std::string text) : data_(std::move(text)) {}
Value::Value(Array items) : data_(std::make_unique<Array>(std::move(items))) {}
Value::Value(Object members) : data_(std::make_unique<Object>(std::move(members))) {}
Value::~Value() = default;

Value::Value(const Value& other) {
  if (other.is_array()) {
    data_ = std::make_unique<Array>(other.as_array());
  } else if (other.is_object()) {
    data_ = std::make_unique<Object>(other.as_object());
  } else if (other.is_string()) {
    data_ = other.as_string();
  } else if (other.is_number()) {
    data_ = other.as_number();
  } else if (other.is_bool()) {
    data_ = other.as_bool();
  }
}

Value::Value(Value&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}

Value& Value::operator=(const Value& other) {
  if (this != &other) *this = Value(other);
  return *this;
}

Value& Value::operator=(Value&& other) noexcept {
  if (this != &other) {
    auto taken = std::exchange(other.data_, nullptr);  // first: `other` may lie inside what goes now
    data_ = std::move(taken);
  }
  return *this;
}

bool Value::is_null() const { return std::holds_alternative<std::nullptr_t>(data_); }
bool Value::is_bool() const { return std::holds_alternative<bool>(data_); }
bool Value::is_number() const { return std::holds_alternative<Number>(data_); }
bool Value::is_string() const { return std::holds_alternative<std::string>(data_); }
bool Value::is_array() const { return std::holds_alternative<std::unique_ptr<Array>>(data_); }
bool Value::is_object() const { return std::holds_alternative<std::unique_ptr<Object>>(data_); }

std::string_view Value::kind_name() const {
  constexpr std::string_view kNames[] = {"null", "bool", "number", "string", "array", "object"};
  return kNames[data_.index()];
}

bool Value::as_bool() const {
  if (!is_bool()) fail_kind("a bool", *this);
  return std::get<bool>(data_);
}

std::int64_t Value::as_int64() const { return integer_of<std::int64_t>(*this); }
std::uint64_t Value::as_uint64() const { return integer_of<std::uint64_t>(*this); }

double Value::as_double() const {
  const std::string& text = as_number().text;
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc::result_out_of_range) return value;
  const double magnitude = decimal_exponent(text) > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  return text.starts_with('-') ? -magnitude : magnitude;
}

const Number& Value::as_number() const {
  if (!is_number()) fail_kind("a number", *this);
  return std::get<Number>(data_);
}

const std::string& Value::as_string() const {
  if (!is_string()) fail_kind("a string", *this);
  return std::get<std::string>(data_);
}

const Array& Value::as_array() const {
  if (!is_array()) fail_kind("an array", *this);
  return *std::get<std::unique_ptr<Array>>(data_);
}

const Object& Value::as_object() const {
  if (!is_object()) fail_kind("an object", *this);
  return *std::get<std::unique_ptr<Object>>(data_);
}

Array& Value::as_array() { return const_cast<Array&>(std::as_const(*this).as_array()); }
Object& Value::as_object() { return const_cast<Object&>(std::as_const(*this).as_object()); }

bool Value::operator==(const Value& other) const {
  if (data_.index() != other.data_.index()) return false;
  if (is_array()) return as_array() == other.as_array();
  if (is_object()) return as_object() == other.as_object();
  return data_ == other.data_;
}

const Value* Object::find(std::string_view key) const {
  for (auto member = members_.rbegin(); member != members_.rend(); ++member) {
    if (member->first == key) return &member->second;
  }
  return nullptr;
}

const Value& Object::at(std::string_view key) const {
  if (const Value* value = find(key)) return *value;
  throw Error(ErrorKind::kCorrupt, "missing key '" + std::string(key) + "'");
}

}  // namespace perdure::json
