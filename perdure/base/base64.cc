#include "perdure/base/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace perdure {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t kNoLetter = 64;

constexpr std::array<std::uint8_t, 256> kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoLetter);
  for (std::size_t i = 0; i < kLetters.size(); ++i)
    values[static_cast<unsigned char>(kLetters[i])] = static_cast<std::uint8_t>(i);
  return values;
}();

std::uint32_t byte_at(ByteView bytes, std::size_t at) { return at < bytes.size() ? static_cast<std::uint32_t>(bytes[at]) : 0; }

std::string encode(ByteView bytes, std::string_view alphabet) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::uint32_t group = byte_at(bytes, at) << 16 | byte_at(bytes, at + 1) << 8 | byte_at(bytes, at + 2);
    const std::size_t letters = std::min<std::size_t>(bytes.size() - at, 3) + 1;
    for (std::size_t i = 0; i < 4; ++i) text += i < letters ? alphabet[group >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

}  // namespace

std::string to_base64(ByteView bytes) { return encode(bytes, kLetters); }

std::string to_base64_url(ByteView bytes) { return encode(bytes, kUrlLetters); }

std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at < text.size(); at += 4) {
    const std::string_view letters = text.substr(at, 4);
    std::size_t padding = 0;
    if (at + 4 == text.size()) padding = letters.ends_with("==") ? 2 : letters.ends_with("=") ? 1 : 0;
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint8_t value = i < 4 - padding ? kValues[static_cast<unsigned char>(letters[i])] : 0;
      if (value == kNoLetter) return std::nullopt;
      group = group << 6 | value;
    }
    if ((group & ((1U << (8 * padding)) - 1)) != 0) return std::nullopt;
    for (std::size_t i = 0; i < 3 - padding; ++i) bytes.push_back(static_cast<std::byte>(group >> (16 - 8 * i) & 255));
  }
  return bytes;
}

}  // namespace perdure
