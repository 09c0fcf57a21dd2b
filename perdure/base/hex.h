#pragma once
// Numbers as people compare them in messages.
#include <cstdint>
#include <string>

namespace perdure {

/// "0x0c61f10f": always eight digits.
inline std::string hex(std::uint32_t value) {
  std::string text = "0x00000000";
  for (std::size_t i = 0; i < 8; ++i) text[9 - i] = "0123456789abcdef"[(value >> (4 * i)) & 15];
  return text;
}

}  // namespace perdure
