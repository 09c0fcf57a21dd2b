#include "perdure/storage/zarr/fill_value.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "perdure/base/cast.h"
#include "perdure/base/error.h"

namespace perdure::storage::zarr {
namespace {

[[noreturn]] void fail(const json::Value& value, DType dtype) {
  throw Error(ErrorKind::kCorrupt, "expected a value of " + std::string(name(dtype)) + ", found " + json::dump(value));
}

void write_bits(std::uint64_t bits, ByteSpan element) {
  for (std::byte& byte : element) {
    byte = static_cast<std::byte>(bits);
    bits >>= 8;
  }
}

/// "0x7fc00000": the bits of the element, most significant digit first.
std::uint64_t parse_hex(const json::Value& value, DType dtype, std::size_t size) {
  const std::string& text = value.as_string();
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
  const bool fits = size == sizeof bits || bits >> (8 * size) == 0;
  if (error != std::errc() || end != text.data() + text.size() || !fits) fail(value, dtype);
  return bits;
}

double parse_double(const json::Value& value, DType dtype) {
  if (!value.is_string()) return value.as_double();
  const std::string& text = value.as_string();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  fail(value, dtype);
}

void write_float(const json::Value& value, DType dtype, ByteSpan element) {
  if (value.is_string() && value.as_string().starts_with("0x"))
    return write_bits(parse_hex(value, dtype, element.size()), element);
  const double number = parse_double(value, dtype);
  if (number == 0 && !std::signbit(number))
    return;  // also for float8_e8m0fnu, which has no zero: TensorStore writes 0.0 for its zero bits
  const auto* bytes = reinterpret_cast<const std::byte*>(&number);
  cast_array({bytes, DType::kFloat64, {}, {}}, {element.data(), dtype, {}, {}});
}

/// TensorStore and zarr-python take 1.0 for 1.
std::int64_t parse_signed(const json::Value& value) {
  const double number = value.as_double();
  const bool is_whole = number > -0x1p53 && number < 0x1p53 && number == static_cast<double>(static_cast<std::int64_t>(number));
  return is_whole ? static_cast<std::int64_t>(number) : value.as_int64();
}

void write_integer(const json::Value& value, DType dtype, ByteSpan element) {
  const int bits = info(dtype).bits;
  if (info(dtype).kind == DTypeKind::kUint) {
    const std::uint64_t number =
        value.as_double() >= 0x1p53 ? value.as_uint64() : static_cast<std::uint64_t>(parse_signed(value));
    if (value.as_double() < 0 || (bits < 64 && number >> bits != 0)) fail(value, dtype);
    return write_bits(number, element);
  }
  const std::int64_t number = parse_signed(value);
  const std::int64_t high = static_cast<std::int64_t>((std::uint64_t{1} << (bits - 1)) - 1);
  if (number > high || number < -high - 1) fail(value, dtype);
  write_bits(static_cast<std::uint64_t>(number), element);
}

void write_bool(const json::Value& value, DType dtype, ByteSpan element) {
  const bool is_one = value.is_bool() ? value.as_bool() : value.as_double() == 1;
  if (!value.is_bool() && !is_one && value.as_double() != 0) fail(value, dtype);
  write_bits(is_one, element);
}

void write_complex(const json::Value& value, DType dtype, ByteSpan element) {
  const DType half_dtype = dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
  const std::size_t half = element.size() / 2;
  if (!value.is_array()) return write_float(value, half_dtype, element.first(half));  // the imaginary part is zero
  if (value.as_array().size() != 2) fail(value, dtype);
  write_float(value.as_array()[0], half_dtype, element.first(half));
  write_float(value.as_array()[1], half_dtype, element.last(half));
}

}  // namespace

std::vector<std::byte> parse_fill_value(const json::Value& value, DType dtype) {
  std::vector<std::byte> element(itemsize(dtype));
  if (value.is_null()) return element;
  switch (info(dtype).kind) {
    case DTypeKind::kBool: write_bool(value, dtype, element); break;
    case DTypeKind::kInt:
    case DTypeKind::kUint: write_integer(value, dtype, element); break;
    case DTypeKind::kFloat: write_float(value, dtype, element); break;
    case DTypeKind::kComplex: write_complex(value, dtype, element); break;
  }
  return element;
}

}  // namespace perdure::storage::zarr
