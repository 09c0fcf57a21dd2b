#include "perdure/storage/zarr/small_float.h"

#include <cmath>
#include <iterator>
#include <limits>

namespace perdure::storage::zarr {
namespace {

using enum DType;

enum class Specials : std::uint8_t {
  kIeee,      // all exponent bits set: infinity and NaN
  kFinite,    // "fn" of 4 bits: none
  kFn,        // all bits but the sign set: NaN
  kFnuz,      // the sign bit alone: NaN instead of -0
  kExponent,  // e8m0fnu: a power of two without sign; all bits set: NaN
};

struct FloatFormat {
  DType dtype;
  int exponent_bits, mantissa_bits, bias;
  Specials specials;
};

constexpr FloatFormat kFormats[] = {
    {kFloat4E2m1fn, 2, 1, 1, Specials::kFinite},     {kFloat8E3m4, 3, 4, 3, Specials::kIeee},
    {kFloat8E4m3, 4, 3, 7, Specials::kIeee},         {kFloat8E4m3b11fnuz, 4, 3, 11, Specials::kFnuz},
    {kFloat8E4m3fn, 4, 3, 7, Specials::kFn},         {kFloat8E4m3fnuz, 4, 3, 8, Specials::kFnuz},
    {kFloat8E5m2, 5, 2, 15, Specials::kIeee},        {kFloat8E5m2fnuz, 5, 2, 16, Specials::kFnuz},
    {kFloat8E8m0fnu, 8, 0, 127, Specials::kExponent}, {kBfloat16, 8, 7, 127, Specials::kIeee},
    {kFloat16, 5, 10, 15, Specials::kIeee},
};

/// The magnitude that `code` (without sign) stands for.
double decode(unsigned code, const FloatFormat& format) {
  if (format.specials == Specials::kExponent) return code == 0xff ? std::nan("") : std::ldexp(1.0, static_cast<int>(code) - format.bias);
  const int exponent = static_cast<int>(code >> format.mantissa_bits);
  const unsigned mantissa = code & ((1u << format.mantissa_bits) - 1);
  if (format.specials == Specials::kIeee && exponent == (1 << format.exponent_bits) - 1) {
    return mantissa == 0 ? std::numeric_limits<double>::infinity() : std::nan("");
  }
  if (format.specials == Specials::kFn && code == (1u << (format.exponent_bits + format.mantissa_bits)) - 1) return std::nan("");
  const double scaled = exponent == 0 ? mantissa : mantissa + (1u << format.mantissa_bits);
  return std::ldexp(scaled, (exponent == 0 ? 1 : exponent) - format.bias - format.mantissa_bits);
}

unsigned nan_code(const FloatFormat& format) {
  const unsigned sign = 1u << (format.exponent_bits + format.mantissa_bits);
  switch (format.specials) {
    case Specials::kIeee: return (sign - 1) & ~((1u << (format.mantissa_bits - 1)) - 1);
    case Specials::kFinite: return sign;  // ml_dtypes: NaN becomes -0
    case Specials::kFn: return sign - 1;
    case Specials::kFnuz: return sign;
    case Specials::kExponent: return sign - 1;
  }
  return 0;
}

unsigned nearest_code(double magnitude, const FloatFormat& format) {
  const unsigned codes = 1u << (format.exponent_bits + format.mantissa_bits);
  unsigned largest = 0;
  for (unsigned code = 0; code < codes; ++code) {  // ascending; what is no finite number comes last
    const double value = decode(code, format);
    if (!std::isfinite(value)) break;
    largest = code;
    if (value < magnitude) continue;
    if (code == 0) return 0;
    const double below = magnitude - decode(code - 1, format), above = value - magnitude;
    return above < below || (above == below && code % 2 == 0) ? code : code - 1;
  }
  const double spacing = decode(largest, format) - decode(largest - 1, format);
  if (magnitude < decode(largest, format) + spacing / 2 || format.specials == Specials::kFinite) return largest;
  return format.specials == Specials::kIeee ? largest + 1 : nan_code(format);
}

}  // namespace

std::uint16_t small_float_bits(double number, DType dtype) {
  const FloatFormat* format = std::begin(kFormats);
  while (format->dtype != dtype) ++format;
  if (std::isnan(number)) return static_cast<std::uint16_t>(nan_code(*format));
  const bool signless = format->specials == Specials::kExponent;
  if (signless && std::signbit(number) && number != 0) return static_cast<std::uint16_t>(nan_code(*format));
  const unsigned code = nearest_code(std::fabs(number), *format);
  const bool is_nan = std::isnan(decode(code, *format)) || (format->specials == Specials::kFnuz && code == nan_code(*format));
  const bool negative = std::signbit(number) && !signless && !is_nan && !(format->specials == Specials::kFnuz && code == 0);
  return static_cast<std::uint16_t>(code | (negative ? 1u << (format->exponent_bits + format->mantissa_bits) : 0));
}

}  // namespace perdure::storage::zarr
