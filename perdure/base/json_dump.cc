#include <string>

#include "perdure/base/error.h"
#include "perdure/base/hex.h"
#include "perdure/base/json.h"
#include "perdure/base/utf8.h"

namespace perdure::json {
namespace {

void append_unit(std::string& out, char32_t utf16_unit) { append_hex(out += "\\u", utf16_unit, 4); }

void append_escape(std::string& out, char32_t code_point) {
  constexpr std::string_view kMeanings = "\"\\\b\f\n\r\t";
  constexpr std::string_view kNames = "\"\\bfnrt";
  const std::size_t index = code_point < 0x80 ? kMeanings.find(static_cast<char>(code_point)) : std::string_view::npos;
  if (index != std::string_view::npos) {
    (out += '\\') += kNames[index];
  } else if (code_point < 0x10000) {
    append_unit(out, code_point);
  } else {
    append_unit(out, 0xd800 + ((code_point - 0x10000) >> 10));
    append_unit(out, 0xdc00 + (code_point & 0x3ff));
  }
}

bool is_plain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

struct Dumper {
  const DumpOptions& options;
  std::string out;
  std::size_t level = 0;

  void value(const Value& value) {
    if (value.is_null()) {
      out += "null";
    } else if (value.is_bool()) {
      out += value.as_bool() ? "true" : "false";
    } else if (value.is_number()) {
      out += value.as_number().text;
    } else if (value.is_string()) {
      append_quoted(out, value.as_string(), options.ascii);
    } else if (value.is_array()) {
      items('[', value.as_array(), ']', [&](const Value& item) { this->value(item); });
    } else {
      items('{', value.as_object().members(), '}', [&](const Object::Member& member) {
        append_quoted(out, member.first, options.ascii);
        out += options.indent > 0 ? ": " : ":";
        this->value(member.second);
      });
    }
  }

  template <class Items, class AppendItem>
  void items(char opening, const Items& items, char closing, AppendItem append_item) {
    out += opening;
    ++level;
    bool first = true;
    for (const auto& item : items) {
      if (!first) out += ',';
      first = false;
      new_line();
      append_item(item);
    }
    --level;
    if (!items.empty()) new_line();
    out += closing;
  }

  void new_line() {
    if (options.indent > 0) out.append(1, '\n').append(level * static_cast<std::size_t>(options.indent), ' ');
  }
};

}  // namespace

void append_quoted(std::string& out, std::string_view text, bool ascii) {
  out += '"';
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && is_plain(text[plain])) ++plain;
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::string_view before = text;
    const std::optional<char32_t> code_point = take_code_point(text);
    if (!code_point) throw Error(ErrorKind::kInvalid, "a string for JSON is not UTF-8");
    if (!ascii && *code_point >= 0x7f && !is_surrogate(*code_point)) {
      out.append(before.substr(0, before.size() - text.size()));
    } else {
      append_escape(out, *code_point);
    }
  }
  out += '"';
}

std::string dump(const Value& value, const DumpOptions& options) {
  Dumper dumper{options, {}, 0};
  dumper.value(value);
  return std::move(dumper.out);
}

void append_numbers(std::string& out, std::span<const std::uint64_t> numbers) {
  out += '[';
  for (std::size_t i = 0; i < numbers.size(); ++i) out.append(i == 0 ? "" : ",").append(std::to_string(numbers[i]));
  out += ']';
}

}  // namespace perdure::json
