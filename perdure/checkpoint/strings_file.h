#pragma once
// _strings.json of an item: the texts among its leaves, by storage name.
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "perdure/base/environment.h"

namespace perdure::checkpoint {

inline constexpr std::uint64_t kStringsBytesMax = std::uint64_t{1} << 30;

/// Throws kCorrupt.
std::unordered_map<std::string, std::string> parse_strings(std::string_view text);

/// Writes texts beside those that the directory has, at once; if a save holds the directory (written_leaves.h), in its commit.
/// Any thread.
void write_strings(const std::string& directory, std::vector<std::pair<std::string, std::string>> strings,
                   const Environment& environment = {});

/// The texts of these names. Throws kNotFound for one that is not there, kCorrupt.
std::vector<std::string> read_strings(const std::string& directory, const std::vector<std::string>& names,
                                      const Environment& environment = {});

}  // namespace perdure::checkpoint
