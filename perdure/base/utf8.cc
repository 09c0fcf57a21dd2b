#include "perdure/base/utf8.h"

#include <cstdint>
#include <cstring>

namespace perdure {
namespace {

struct LeadByte {  // of a sequence of `size` bytes
  unsigned char mask;
  unsigned char bits;
  std::size_t size;
  char32_t code_point_min;
};
constexpr LeadByte kLeadBytes[] = {
    {0x80, 0x00, 1, 0},
    {0xe0, 0xc0, 2, 0x80},
    {0xf0, 0xe0, 3, 0x800},
    {0xf8, 0xf0, 4, 0x10000},
};

std::size_t ascii_prefix_size(std::string_view text) {
  std::size_t size = 0;
  for (std::uint64_t word = 0; size + sizeof(word) <= text.size(); size += sizeof(word)) {
    std::memcpy(&word, text.data() + size, sizeof(word));
    if (word & 0x8080808080808080) break;
  }
  while (size < text.size() && static_cast<unsigned char>(text[size]) < 0x80) ++size;
  return size;
}

}  // namespace

std::optional<char32_t> take_code_point(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  for (const LeadByte& lead : kLeadBytes) {
    if ((first & lead.mask) != lead.bits) continue;
    if (text.size() < lead.size) return std::nullopt;
    char32_t code_point = first & static_cast<unsigned char>(~lead.mask);
    for (const char next : text.substr(1, lead.size - 1)) {
      if ((next & 0xc0) != 0x80) return std::nullopt;
      code_point = code_point << 6 | static_cast<char32_t>(next & 0x3f);
    }
    if (code_point < lead.code_point_min || code_point > 0x10ffff) return std::nullopt;
    text.remove_prefix(lead.size);
    return code_point;
  }
  return std::nullopt;
}

void append_code_point(std::string& out, char32_t code_point) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code_point >> shift) & 0x3f)); };
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xc0 | code_point >> 6);
    tail(0);
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xe0 | code_point >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | code_point >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

std::size_t utf8_size(std::string_view text) {
  const std::size_t size = text.size();
  for (;;) {
    text.remove_prefix(ascii_prefix_size(text));
    std::string_view rest = text;
    if (text.empty()) return size;
    const std::optional<char32_t> code_point = take_code_point(rest);
    if (!code_point || is_surrogate(*code_point)) return size - text.size();
    text = rest;
  }
}

bool is_utf8(std::string_view text) {
  text.remove_prefix(utf8_size(text));
  while (!text.empty()) {
    if (!take_code_point(text)) return false;
  }
  return true;
}

}  // namespace perdure
