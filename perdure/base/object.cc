#include "perdure/base/object.h"

#include <bit>
#include <charconv>
#include <cmath>

#include "perdure/base/hex.h"
#include "perdure/base/overloaded.h"
#include "perdure/base/utf8.h"

namespace perdure {
namespace {

std::string float_repr(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const double magnitude = std::abs(value);
  // Where Python changes to an exponent. Its exponents have a sign and two digits, as those of to_chars.
  const bool is_scientific = magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16);
  char digits[40];
  const auto format = is_scientific ? std::chars_format::scientific : std::chars_format::fixed;
  std::string text(digits, std::to_chars(digits, digits + sizeof digits, value, format).ptr);
  if (!is_scientific && text.find('.') == std::string::npos) text += ".0";
  return text;
}

/// Control characters, the spaces that Python does not print, and lone surrogates.
void append_printable(std::string& out, char32_t code_point) {
  switch (code_point) {
    case '\t': out += "\\t"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    default: break;
  }
  if (code_point < 0x20 || (code_point >= 0x7f && code_point <= 0xa0) || code_point == 0xad) {
    append_hex(out += "\\x", code_point, 2);
  } else if (is_surrogate(code_point) || code_point == 0x2028 || code_point == 0x2029) {
    append_hex(out += "\\u", code_point, 4);
  } else {
    append_code_point(out, code_point);
  }
}

std::string text_repr(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos, has_double = text.find('"') != std::string_view::npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  std::string out(1, quote);
  while (!text.empty()) {
    const char first = text.front();
    const auto code_point = take_code_point(text);
    if (!code_point) {
      append_hex(out += "\\x", static_cast<unsigned char>(first), 2);
      text.remove_prefix(1);
      continue;
    }
    if (first == quote || first == '\\') out += '\\';
    append_printable(out, *code_point);
  }
  return out + quote;
}

std::string tuple_repr(const KeyTuple& keys) {
  std::string out = "(";
  for (std::size_t i = 0; i < keys.size(); ++i) out += (i > 0 ? ", " : "") + keys[i].repr();
  return out + (keys.size() == 1 ? ",)" : ")");
}

}  // namespace

bool Key::operator==(const Key& other) const {
  if (value.index() != other.value.index()) return false;
  return std::visit(
      [&other](const auto& mine) {
        using Kind = std::decay_t<decltype(mine)>;
        const auto& theirs = std::get<Kind>(other.value);
        if constexpr (std::is_same_v<Kind, double>) {
          return std::bit_cast<std::uint64_t>(mine) == std::bit_cast<std::uint64_t>(theirs);
        } else if constexpr (std::is_same_v<Kind, std::shared_ptr<const KeyTuple>>) {
          return mine == theirs || *mine == *theirs;
        } else {
          return mine == theirs;
        }
      },
      value);
}

std::string Key::str() const {
  const auto* text = std::get_if<Text>(&value);
  return text != nullptr ? text->utf8 : repr();
}

std::string Key::repr() const {
  return std::visit(Overloaded{
                        [](None) -> std::string { return "None"; },
                        [](bool truth) -> std::string { return truth ? "True" : "False"; },
                        [](std::int64_t integer) { return std::to_string(integer); },
                        [](const BigInt& integer) { return integer.digits; },
                        [](double number) { return float_repr(number); },
                        [](const Text& text) { return text_repr(text.utf8); },
                        [](const std::shared_ptr<const KeyTuple>& keys) { return tuple_repr(*keys); },
                    },
                    value);
}

}  // namespace perdure
