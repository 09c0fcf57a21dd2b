#pragma once
// How one element of each dtype becomes a wide value and is made of one: the traits behind cast.cc. Not installed.
//
// Every element decodes without loss to its Value: int64, uint64, float or double. Every element can be encoded from
// each of the four. `source` says where the value comes from: astype's rules differ for some dtypes.
// To add a dtype: an element below, or a format in minifloat.h; then a row of kCastTable (cast.cc). What a report says of the type
// (cast_report.h) follows from its element.
#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "perdure/base/dtype.h"
#include "perdure/base/minifloat.h"

namespace perdure {

/// cvttss2si and cvttsd2si: what does not fit becomes the lowest integer.
template <std::signed_integral Int, std::floating_point Float>
Int truncate_as_x86(Float value) {
  constexpr Float kEnd = static_cast<Float>(std::uint64_t{1} << (8 * sizeof(Int) - 1));
  // A float32 between the lowest int32 and the one below it does not exist; a float64 does.
  const bool low = sizeof(Float) > sizeof(Int) ? value > -kEnd - 1 : value >= -kEnd;
  return low && value < kEnd ? static_cast<Int>(value) : std::numeric_limits<Int>::min();
}

template <std::floating_point Float>
std::uint64_t truncate_to_uint64(Float value) {
  constexpr Float kHalf = static_cast<Float>(std::uint64_t{1} << 63);
  if (!(value >= kHalf)) return static_cast<std::uint64_t>(truncate_as_x86<std::int64_t>(value));
  return static_cast<std::uint64_t>(truncate_as_x86<std::int64_t>(value - kHalf)) ^ std::uint64_t{1} << 63;
}

struct CastSource {
  DType dtype;
  bool saturates_to_integers;  // infinity becomes the largest integer, NaN 0
};

template <class Element>
constexpr bool kSaturatesToIntegers = false;

template <std::integral Int, std::floating_point Float>
Int saturate_infinity(Float value) {
  if (value != value) return 0;
  return value > 0 ? std::numeric_limits<Int>::max() : std::numeric_limits<Int>::min();
}

struct BoolElement {
  using Memory = std::uint8_t;
  using Value = std::uint64_t;
  static Value decode(Memory memory) { return memory != 0; }
  static Memory encode(auto value, CastSource) { return value != 0; }
};

template <std::integral Int, int kBits = 8 * sizeof(Int)>
struct IntElement {
  using Memory = Int;
  using Value = std::conditional_t<std::is_signed_v<Int>, std::int64_t, std::uint64_t>;

  static Value decode(Memory memory) {
    if constexpr (kBits == 8 * sizeof(Int)) return memory;
    constexpr int kUnused = 8 * sizeof(Int) - kBits;
    return static_cast<Int>(static_cast<Int>(static_cast<unsigned>(memory) << kUnused) >> kUnused);
  }
  static Memory encode(std::integral auto value, CastSource) { return low_bits(static_cast<Int>(value)); }
  static Memory encode(std::floating_point auto value, CastSource source) {
    if (source.saturates_to_integers && !(value - value == 0)) return low_bits(saturate_infinity<Int>(value));
    if constexpr (std::is_same_v<Int, std::uint64_t>) return truncate_to_uint64(value);
    // ml_dtypes compares before it truncates.
    if (kBits < 8 && double{value} > std::numeric_limits<std::int32_t>::max()) return 0;
    constexpr bool kWide = sizeof(Int) == 8 || std::is_same_v<Int, std::uint32_t>;
    using Truncated = std::conditional_t<kWide, std::int64_t, std::int32_t>;
    return low_bits(static_cast<Int>(truncate_as_x86<Truncated>(value)));
  }

 private:
  static Memory low_bits(Int value) {
    if constexpr (kBits < 8) return static_cast<Int>(value & ((1 << kBits) - 1));
    return value;
  }
};

template <MinifloatFormat kFormat, class Code>
struct MinifloatElement {
  using Memory = Code;
  using Value = float;
  static Value decode(Memory memory) { return decode_minifloat<kFormat>(memory); }
  static Memory encode(auto value, CastSource) {
    return static_cast<Memory>(encode_minifloat<kFormat>(static_cast<float>(value)));
  }
};

struct E8m0Element {
  using Memory = std::uint8_t;
  using Value = float;
  static Value decode(Memory memory) { return decode_e8m0(memory); }
  static Memory encode(auto value, CastSource) { return static_cast<Memory>(encode_e8m0(static_cast<float>(value))); }
};

// Types of ml_dtypes other than bfloat16.
template <MinifloatFormat kFormat>
constexpr bool kSaturatesToIntegers<MinifloatElement<kFormat, std::uint8_t>> = true;
template <>
inline constexpr bool kSaturatesToIntegers<E8m0Element> = true;

/// Larger magnitudes become the largest number; infinity where they become infinite or NaN instead.
template <class Element>
constexpr double kClampsAbove = std::numeric_limits<double>::infinity();
template <MinifloatFormat kFormat, class Code>
requires(kFormat.clamps()) constexpr double kClampsAbove<MinifloatElement<kFormat, Code>> = overflow_threshold<kFormat>();

struct HalfElement {
  using Memory = std::uint16_t;
  using Value = float;
  static Value decode(Memory memory) { return decode_minifloat<kFloat16Format>(memory); }
  static Memory encode(std::integral auto value, CastSource source) { return encode(static_cast<float>(value), source); }
  static Memory encode(std::floating_point auto value, CastSource source) {
    const std::uint32_t code = encode_minifloat<kFloat16Format>(value);
    constexpr std::uint32_t kSign = kFloat16Format.sign_code();
    const bool drops_payload = source.dtype == DType::kBfloat16 && value != value;
    return static_cast<Memory>(drops_payload ? (code & kSign) | kFloat16Format.nan_code : code);
  }
};

template <std::floating_point Float>
struct FloatElement {
  using Memory = Float;
  using Value = Float;
  static Value decode(Memory memory) { return memory; }
  static Memory encode(auto value, CastSource source) {
    if constexpr (std::is_same_v<Float, double> && std::is_same_v<decltype(value), float>) {
      // NumPy widens a float16 by its bits, so that a signalling NaN stays one.
      if (source.dtype == DType::kFloat16 && value != value) return widened_nan(value);
    }
    return static_cast<Float>(value);
  }

 private:
  static double widened_nan(float value) {
    const std::uint64_t bits = std::bit_cast<std::uint32_t>(value);
    return std::bit_cast<double>((bits >> 31) << 63 | std::uint64_t{0x7ff} << 52 | (bits & 0x7fffff) << 29);
  }
};

}  // namespace perdure
