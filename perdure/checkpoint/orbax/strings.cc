#include "perdure/checkpoint/orbax/strings.h"

#include "perdure/base/json.h"

namespace perdure::checkpoint {

std::unordered_map<std::string, std::string> parse_strings(std::string_view text) {
  std::unordered_map<std::string, std::string> strings;
  const json::Value document = json::parse(text);
  for (const auto& [name, value] : document.as_object().members()) strings[name] = value.as_string();
  return strings;
}

std::string encode_strings(const std::vector<std::pair<std::string, std::string>>& strings) {
  std::string out = "{";
  for (const auto& [name, text] : strings) {
    if (out.size() > 1) out += ',';
    json::append_quoted(out, name);
    out += ':';
    json::append_quoted(out, text);
  }
  return out += '}';
}

}  // namespace perdure::checkpoint
