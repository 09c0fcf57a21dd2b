#pragma once
// Integers of any size between Python and decimal text, past the limit that Python sets for its own conversions.
#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace perdure::python {

/// Longest integer that is saved or restored: the conversion takes time that grows with the square of the digits.
inline constexpr std::size_t kDigitsMax = 100'000;

/// "-170141183460469231731687303715884105728". Throws kInputType for more than kDigitsMax digits.
std::string decimal_of(nanobind::handle integer);
/// Throws kCorrupt for what is no integer or has more than kDigitsMax digits.
nanobind::object integer_of(std::string_view decimal);

}  // namespace perdure::python
