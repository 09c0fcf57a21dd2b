#pragma once
// Seeded mutations of an input: the same seed gives the same bytes on every machine.
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace perdure::fuzz {

/// One to four random edits of `input`: flips, overwrites with edge values, cuts, insertions, and pieces of `others`.
std::string mutate(std::string input, const std::vector<std::string>& others, std::mt19937_64& random);

}  // namespace perdure::fuzz
