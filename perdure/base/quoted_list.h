#pragma once
// Names in messages.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

namespace perdure {

/// "'a', 'b' and 3 more": at most `named_max` are named. "nothing" if there are none.
template <class Names>
std::string quoted_list(const Names& names, std::size_t named_max = std::numeric_limits<std::size_t>::max()) {
  if (names.empty()) return "nothing";
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), named_max); ++i)
    text.append(i == 0 ? "'" : ", '").append(names[i]).append("'");
  if (names.size() > named_max) text += " and " + std::to_string(names.size() - named_max) + " more";
  return text;
}

}  // namespace perdure
