#include "python/src/python_integer.h"

#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <vector>

#include "perdure/base/error.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

/// Digits in groups, the last group first: nine decimal or eight hexadecimal digits each.
struct Groups {
  std::uint64_t base;
  std::size_t width;
};
constexpr Groups kDecimal{1'000'000'000, 9};
constexpr Groups kHex{std::uint64_t{1} << 32, 8};

std::vector<std::uint32_t> parse(std::string_view digits, const Groups& groups, int radix) {
  std::vector<std::uint32_t> values;
  while (!digits.empty()) {
    const std::string_view group = digits.substr(digits.size() - std::min(digits.size(), groups.width));
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(group.data(), group.data() + group.size(), value, radix);
    if (error != std::errc() || end != group.data() + group.size()) throw Error(ErrorKind::kCorrupt, "not an integer");
    values.push_back(value);
    digits.remove_suffix(group.size());
  }
  return values;
}

std::vector<std::uint32_t> convert(const std::vector<std::uint32_t>& source, const Groups& from, const Groups& to) {
  std::vector<std::uint32_t> target;
  for (auto group = source.rbegin(); group != source.rend(); ++group) {
    std::uint64_t carry = *group;
    for (std::uint32_t& value : target) {
      carry += value * from.base;
      value = static_cast<std::uint32_t>(carry % to.base);
      carry /= to.base;
    }
    for (; carry != 0; carry /= to.base) target.push_back(static_cast<std::uint32_t>(carry % to.base));
  }
  return target;
}

std::string text_of(const std::vector<std::uint32_t>& values, const Groups& groups, int radix) {
  std::string text;
  for (auto value = values.rbegin(); value != values.rend(); ++value) {
    char digits[16];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, *value, radix);
    const std::string_view group(digits, static_cast<std::size_t>(end - digits));
    if (!text.empty()) text.append(groups.width - group.size(), '0');
    text += group;
  }
  return text.empty() ? "0" : text;
}

}  // namespace

std::string decimal_of(nb::handle integer) {
  const nb::object hex = nb::steal(PyNumber_ToBase(integer.ptr(), 16));
  if (!hex.is_valid()) throw nb::python_error();
  std::string_view digits = nb::cast<std::string_view>(hex);
  const bool negative = digits.starts_with('-');
  digits.remove_prefix(negative ? 3 : 2);  // "-0x"
  if (digits.size() > kDigitsMax) throw Error(ErrorKind::kInputType, "cannot save an 'int' of more than 100000 digits");
  std::string text = text_of(convert(parse(digits, kHex, 16), kHex, kDecimal), kDecimal, 10);
  if (text.size() > kDigitsMax) throw Error(ErrorKind::kInputType, "cannot save an 'int' of more than 100000 digits");
  return negative ? "-" + text : text;
}

nb::object integer_of(std::string_view decimal) {
  const bool negative = decimal.starts_with('-');
  if (negative) decimal.remove_prefix(1);
  if (decimal.empty() || decimal.size() > kDigitsMax) throw Error(ErrorKind::kCorrupt, "not an integer of at most 100000 digits");
  const std::string hex = (negative ? "-" : "") + text_of(convert(parse(decimal, kDecimal, 10), kDecimal, kHex), kHex, 16);
  nb::object number = nb::steal(PyLong_FromString(hex.c_str(), nullptr, 16));
  if (!number.is_valid()) throw nb::python_error();
  return number;
}

}  // namespace perdure::python
