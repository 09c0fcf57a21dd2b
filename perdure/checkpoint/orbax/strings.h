#pragma once
// `_strings.json` of an item: the texts among its leaves, by parameter name.
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace perdure::checkpoint {

inline constexpr std::uint64_t kStringsBytesMax = std::uint64_t{1} << 30;

/// Throws kCorrupt.
std::unordered_map<std::string, std::string> parse_strings(std::string_view text);

std::string encode_strings(const std::vector<std::pair<std::string, std::string>>& strings);

}  // namespace perdure::checkpoint
