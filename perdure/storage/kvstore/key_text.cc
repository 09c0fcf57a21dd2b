#include "perdure/storage/kvstore/key_text.h"

#include <cstdint>

namespace perdure::storage {
namespace {

/// Bytes of the UTF-8 sequence that `text` starts with; 0 if it starts with none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0}; };
  const auto trails = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if ((byte(i) & 0xc0) != 0x80) return false;
    }
    return true;
  };
  const std::uint8_t lead = byte(0);
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (size == 0 || !trails(1, size)) return 0;
  const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xed && byte(1) >= 0xa0;
  const bool beyond = lead == 0xf4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : size;
}

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<std::uint8_t>(c);
  out.append("\\x").push_back(kDigits[byte >> 4]);
  out.push_back(kDigits[byte & 15]);
}

}  // namespace

std::string key_text(std::string_view key) {
  std::string out = "'";
  while (!key.empty()) {
    std::size_t size = utf8_length(key);
    const bool control = size == 1 && (key[0] < 0x20 || key[0] == 0x7f);
    if (size == 0 || control) {
      append_escaped(out, key[0]);
      size = 1;
    } else {
      out.append(key.substr(0, size));
    }
    key.remove_prefix(size);
  }
  return out + "'";
}

}  // namespace perdure::storage
