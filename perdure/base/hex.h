#pragma once
// Hexadecimal digits, lower-case.
#include <cstddef>
#include <cstdint>
#include <string>

namespace perdure {

/// Appends the last `digit_count` digits of `value`.
inline void append_hex(std::string& out, std::uint64_t value, std::size_t digit_count) {
  for (std::size_t digit = digit_count; digit-- > 0;) out += "0123456789abcdef"[value >> (4 * digit) & 0xf];
}

/// "0x0c61f10f": always eight digits, as people compare checksums in messages.
inline std::string hex(std::uint32_t value) {
  std::string text = "0x";
  append_hex(text, value, 8);
  return text;
}

}  // namespace perdure
