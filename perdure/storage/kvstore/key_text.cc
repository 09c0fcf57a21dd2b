#include "perdure/storage/kvstore/key_text.h"

#include <cstdint>

#include "perdure/base/hex.h"
#include "perdure/base/utf8.h"

namespace perdure::storage {
namespace {

void append_escaped(std::string& out, std::string_view bytes) {
  for (const char c : bytes) append_hex(out += "\\x", static_cast<std::uint8_t>(c), 2);
}

bool is_printable(char32_t c) { return c >= 0x20 && c != 0x7f && !is_surrogate(c); }

}  // namespace

std::string key_text(std::string_view key) {
  std::string out = "'";
  while (!key.empty()) {
    std::string_view rest = key;
    const auto code_point = take_code_point(rest);
    const std::string_view taken = key.substr(0, code_point ? key.size() - rest.size() : 1);
    if (code_point && is_printable(*code_point)) {
      out.append(taken);
    } else {
      append_escaped(out, taken);
    }
    key.remove_prefix(taken.size());
  }
  return out + "'";
}

}  // namespace perdure::storage
