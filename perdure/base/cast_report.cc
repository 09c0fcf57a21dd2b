#include "perdure/base/cast_report.h"

#include <cmath>
#include <concepts>
#include <limits>
#include <utility>

namespace perdure {
namespace {

template <std::floating_point Float>
bool is_finite(Float value) {
  return std::abs(value) <= std::numeric_limits<Float>::max();
}

constexpr double kTwo63 = 9223372036854775808.0, kTwo64 = 18446744073709551616.0;

/// True if `value`, without its fraction, is `integer`.
bool truncates_to(double value, std::integral auto integer) {
  if (value >= -kTwo63 && value < kTwo63) return std::cmp_equal(static_cast<std::int64_t>(value), integer);
  return value >= kTwo63 && value < kTwo64 && std::cmp_equal(static_cast<std::uint64_t>(value), integer);
}

bool same_number(double value, std::integral auto integer) {
  return truncates_to(value, integer) && static_cast<double>(integer) == value;
}

/// True if a finite number, an infinity or a NaN became another of the three. Joined without branches, so that it is vectorised.
template <std::floating_point Before, std::floating_point After>
bool any_class_changes(const Before* before, const After* after, std::size_t count) {
  unsigned changed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    changed |= static_cast<unsigned>(is_finite(before[i]) != is_finite(after[i]));
    changed |= static_cast<unsigned>((before[i] != before[i]) != (after[i] != after[i]));
  }
  return changed != 0;
}

void compare(std::integral auto before, std::floating_point auto after, CastReport& report) {
  report.changed_kind_and_value |= !same_number(after, before);
  report.float_overflow |= !is_finite(after);
}

void compare(std::floating_point auto before, std::integral auto after, CastReport& report) {
  report.changed_kind_and_value |= !same_number(before, after);
  report.integer_overflow |= !truncates_to(before, after);
}

void compare(std::integral auto before, std::integral auto after, CastReport& report) {
  report.integer_overflow |= std::cmp_not_equal(before, after);
}

template <class Before, class After>
CastReport compare_all(const std::byte* before, const std::byte* after, std::size_t count, const CastTarget& target) {
  CastReport report;
  const auto* befores = reinterpret_cast<const Before*>(before);
  const auto* afters = reinterpret_cast<const After*>(after);
  if constexpr (std::floating_point<Before> && std::floating_point<After>) {
    report.float_overflow = any_class_changes(befores, afters, count);
  } else {
    for (std::size_t i = 0; i < count; ++i) compare(befores[i], afters[i], report);
  }
  if (target.clamps_above < std::numeric_limits<double>::infinity()) {
    for (std::size_t i = 0; i < count; ++i) {
      report.float_overflow |= std::abs(static_cast<double>(befores[i])) > target.clamps_above;
    }
  }
  if (target.dtype == DType::kBool) {
    report.changed_kind_and_value |= report.integer_overflow;
    report.integer_overflow = false;
  }
  return report;
}

template <class Before>
Comparison comparison_from(Wide after) {
  switch (after) {
    case Wide::kInt64: return compare_all<Before, std::int64_t>;
    case Wide::kUint64: return compare_all<Before, std::uint64_t>;
    case Wide::kFloat: return compare_all<Before, float>;
    case Wide::kDouble: break;
  }
  return compare_all<Before, double>;
}

}  // namespace

CastReport& CastReport::operator|=(const CastReport& other) {
  changed_kind_and_value |= other.changed_kind_and_value;
  integer_overflow |= other.integer_overflow;
  float_overflow |= other.float_overflow;
  return *this;
}

Comparison comparison(Wide before, Wide after) {
  switch (before) {
    case Wide::kInt64: return comparison_from<std::int64_t>(after);
    case Wide::kUint64: return comparison_from<std::uint64_t>(after);
    case Wide::kFloat: return comparison_from<float>(after);
    case Wide::kDouble: break;
  }
  return comparison_from<double>(after);
}

}  // namespace perdure
