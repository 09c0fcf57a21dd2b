#pragma once
// What a recipe may ask of its reader. A recipe is a description, not a place for weights: whoever needs more saves a checkpoint.
#include <cstddef>

namespace perdure::recipe {

struct Limits {
  std::size_t text_bytes_max = 16 << 20;
  std::size_t depth_max = 256;            // nested JSON arrays and objects; specs count as objects
  std::size_t value_count_max = 2 << 20;  // JSON values: one takes far more memory than its text
  std::size_t path_bytes_max = 1000;      // of a dotted path, a timestamp or an argument's name
  std::size_t digits_max = 100'000;       // of an integer: its conversion takes time that grows with their square
  std::size_t rank_max = 64;              // axes of an array
};

inline constexpr Limits kLimits;

}  // namespace perdure::recipe
