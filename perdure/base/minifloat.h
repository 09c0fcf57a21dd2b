#pragma once
// Floats of 16 bits and fewer: one encoder and one decoder, driven by the constants of a format. Not installed.
//
//   code:  sign | exponent | mantissa   (in the low bits; the exponent is biased)
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace perdure {

struct MinifloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  std::uint32_t max_code;       // the largest finite number
  std::uint32_t overflow_code;  // what becomes of larger ones: infinity, NaN, or max_code
  std::uint32_t nan_code;       // of a NaN without sign; the sign is added by exclusive or
  bool unsigned_zero = false;   // the code of -0 is the only NaN ("fnuz")
  bool payload = false;         // a NaN keeps the upper bits of its mantissa

  constexpr std::uint32_t sign_code() const { return 1u << (exponent_bits + mantissa_bits); }
  /// True if it has no code for what is too large.
  constexpr bool clamps() const { return overflow_code == max_code; }
};

inline constexpr MinifloatFormat kFloat4E2m1fnFormat{2, 1, 1, 0x7, 0x7, 0x8};  // it has no NaN: ml_dtypes makes it -0
inline constexpr MinifloatFormat kFloat8E3m4Format{3, 4, 3, 0x6f, 0x70, 0x78};
inline constexpr MinifloatFormat kFloat8E4m3Format{4, 3, 7, 0x77, 0x78, 0x7c};
inline constexpr MinifloatFormat kFloat8E4m3b11fnuzFormat{4, 3, 11, 0x7f, 0x80, 0x80, true};
inline constexpr MinifloatFormat kFloat8E4m3fnFormat{4, 3, 7, 0x7e, 0x7f, 0x7f};
inline constexpr MinifloatFormat kFloat8E4m3fnuzFormat{4, 3, 8, 0x7f, 0x80, 0x80, true};
inline constexpr MinifloatFormat kFloat8E5m2Format{5, 2, 15, 0x7b, 0x7c, 0x7e};
inline constexpr MinifloatFormat kFloat8E5m2fnuzFormat{5, 2, 16, 0x7f, 0x80, 0x80, true};
inline constexpr MinifloatFormat kBfloat16Format{8, 7, 127, 0x7f7f, 0x7f80, 0x7fc0};
inline constexpr MinifloatFormat kFloat16Format{5, 10, 15, 0x7bff, 0x7c00, 0x7e00, false, true};

template <class Float>
struct FloatBits {
  using Uint = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;
  static constexpr int kMantissaBits = std::numeric_limits<Float>::digits - 1;
  static constexpr int kBias = std::numeric_limits<Float>::max_exponent - 1;
  static constexpr Uint kSign = Uint{1} << (8 * sizeof(Float) - 1);
  static constexpr Uint kInfinity = Uint{2 * kBias + 1} << kMantissaBits;
  /// The bits of 2^exponent.
  static constexpr Uint power_of_two(int exponent) { return static_cast<Uint>(exponent + kBias) << kMantissaBits; }
};

/// Without a branch, so that loops over it are vectorised.
template <class Uint>
constexpr Uint choose(bool condition, Uint yes, Uint no) {
  return no ^ ((yes ^ no) & (Uint{0} - static_cast<Uint>(condition)));
}

/// The code of the magnitude `bits` (no sign, no NaN), rounded to nearest even.
template <MinifloatFormat kFormat, class Float>
constexpr std::uint32_t encode_magnitude(typename FloatBits<Float>::Uint bits) {
  using Bits = FloatBits<Float>;
  using Uint = typename Bits::Uint;
  constexpr int kShift = Bits::kMantissaBits - kFormat.mantissa_bits;
  const Uint rounded = bits + ((Uint{1} << (kShift - 1)) - 1) + (bits >> kShift & 1);
  Uint code = (rounded >> kShift) - (static_cast<Uint>(Bits::kBias - kFormat.bias) << kFormat.mantissa_bits);
  if constexpr (kFormat.bias != Bits::kBias) {
    // Numbers below the format's normal ones: an addition in which the last bit is the format's last bit rounds them.
    constexpr Uint kMagic = Bits::power_of_two(1 - kFormat.bias + kShift);
    const Uint subnormal = std::bit_cast<Uint>(std::bit_cast<Float>(bits) + std::bit_cast<Float>(kMagic)) - kMagic;
    code = choose(bits < Bits::power_of_two(1 - kFormat.bias), subnormal, code);
  }
  return static_cast<std::uint32_t>(choose<Uint>(code > kFormat.max_code, kFormat.overflow_code, code));
}

template <MinifloatFormat kFormat, class Float>
constexpr std::uint32_t encode_minifloat(Float value) {
  using Bits = FloatBits<Float>;
  const auto bits = std::bit_cast<typename Bits::Uint>(value);
  const auto magnitude = bits & ~Bits::kSign;
  const auto sign = static_cast<std::uint32_t>(bits >> (8 * sizeof(Float) - 1)) * kFormat.sign_code();
  std::uint32_t nan = kFormat.nan_code;
  if constexpr (kFormat.payload) {
    constexpr int kShift = Bits::kMantissaBits - kFormat.mantissa_bits;
    const auto payload = static_cast<std::uint32_t>((magnitude - Bits::kInfinity) >> kShift);
    nan = kFormat.overflow_code | payload | static_cast<std::uint32_t>(payload == 0);
  }
  const std::uint32_t code = choose(magnitude > Bits::kInfinity, nan, encode_magnitude<kFormat, Float>(magnitude));
  if constexpr (kFormat.unsigned_zero) return choose(code == 0, code, code | sign);
  return code ^ sign;
}

/// Exact. Bits above the sign are ignored.
template <MinifloatFormat kFormat>
constexpr float decode_minifloat(std::uint32_t code) {
  using Bits = FloatBits<float>;
  constexpr int kShift = Bits::kMantissaBits - kFormat.mantissa_bits;
  const std::uint32_t magnitude = code & (kFormat.sign_code() - 1);
  const std::uint32_t sign = choose((code & kFormat.sign_code()) != 0, Bits::kSign, 0u);
  if constexpr (kFormat.bias == Bits::kBias) return std::bit_cast<float>(sign | magnitude << kShift);

  constexpr float kUnit = std::bit_cast<float>(Bits::power_of_two(1 - kFormat.bias - kFormat.mantissa_bits));
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * kUnit);
  std::uint32_t bits = (magnitude << kShift) + (static_cast<std::uint32_t>(Bits::kBias - kFormat.bias) << Bits::kMantissaBits);
  bits = choose(magnitude >> kFormat.mantissa_bits == 0, subnormal, bits);
  constexpr std::uint32_t kQuiet = Bits::kInfinity | 1u << (Bits::kMantissaBits - 1);
  const std::uint32_t nan = kFormat.payload ? Bits::kInfinity | magnitude << kShift : kQuiet;
  constexpr bool kHasInfinity = kFormat.overflow_code > kFormat.max_code && kFormat.overflow_code != kFormat.nan_code;
  const bool infinite = kHasInfinity && magnitude == kFormat.overflow_code;
  bits = choose(magnitude > kFormat.max_code, choose(infinite, Bits::kInfinity, nan), bits);
  if constexpr (kFormat.unsigned_zero) bits = choose(code == kFormat.nan_code, kQuiet, bits);
  return std::bit_cast<float>(bits | sign);
}

/// Where the number after the largest would be rounded to: a larger magnitude overflows.
template <MinifloatFormat kFormat>
constexpr double overflow_threshold() {
  constexpr double kLargest = decode_minifloat<kFormat>(kFormat.max_code);
  return kLargest + (kLargest - decode_minifloat<kFormat>(kFormat.max_code - 1)) / 2;
}

/// float8_e8m0fnu: a power of two. Rounds halves up; what is not positive becomes NaN.
constexpr std::uint32_t encode_e8m0(float value) {
  constexpr std::uint32_t kNan = 0xff, kLowest = 1u << 22;  // 2^-127
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (!(value > 0) || bits >= FloatBits<float>::kInfinity) return kNan;
  return bits <= kLowest ? 0 : (bits + (1u << 22)) >> 23;
}

constexpr float decode_e8m0(std::uint32_t code) {
  if (code == 0xff) return std::numeric_limits<float>::quiet_NaN();
  return std::bit_cast<float>(code == 0 ? 1u << 22 : code << 23);
}

}  // namespace perdure
