#pragma once
// UTF-8 that may also hold lone surrogates, each as three bytes ("WTF-8"): what Python's str can hold, C++ can hold.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace perdure {

constexpr bool is_surrogate(char32_t code_point) { return code_point >= 0xd800 && code_point <= 0xdfff; }

/// The first code point of `text`, which loses its bytes; nullopt if they are malformed (over-long, cut off, beyond U+10FFFF).
/// `text` must not be empty.
std::optional<char32_t> take_code_point(std::string_view& text);

void append_code_point(std::string& out, char32_t code_point);

/// Bytes before the first malformed sequence or surrogate: text.size() for strict UTF-8.
std::size_t utf8_size(std::string_view text);

/// Whether all of it is UTF-8, or lone surrogates.
bool is_utf8(std::string_view text);

}  // namespace perdure
