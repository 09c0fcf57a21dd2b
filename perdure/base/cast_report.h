#pragma once
// What a cast did to numbers, found by comparing them before and after in their wide forms. Not installed.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "perdure/base/cast.h"

namespace perdure {

/// The types that elements are widened to.
enum class Wide : std::uint8_t { kInt64, kUint64, kFloat, kDouble };
constexpr std::size_t kWideCount = 4;

template <class Value>
constexpr Wide kWideOf = std::is_same_v<Value, std::int64_t>    ? Wide::kInt64
                         : std::is_same_v<Value, std::uint64_t> ? Wide::kUint64
                         : std::is_same_v<Value, float>         ? Wide::kFloat
                                                                : Wide::kDouble;

struct CastTarget {
  DType dtype;
  double clamps_above;  // larger magnitudes become the largest number; infinity: none do
};

/// Compares `count` values of `before` with what they are after a cast to `target`.
using Comparison = CastReport (*)(const std::byte* before, const std::byte* after, std::size_t count, const CastTarget& target);
Comparison comparison(Wide before, Wide after);

}  // namespace perdure
