#include "perdure/recipe/dotted_path.h"

#include <algorithm>

#include "perdure/recipe/limits.h"

namespace perdure::recipe {
namespace {

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

std::vector<std::string_view> split_path(std::string_view path, const JsonPath& where) {
  std::vector<std::string_view> segments;
  if (path.size() <= kLimits.path_bytes_max) {
    for (std::string_view rest = path;;) {
      const std::size_t dot = std::min(rest.find('.'), rest.size());
      segments.push_back(rest.substr(0, dot));
      if (dot == rest.size()) break;
      rest.remove_prefix(dot + 1);
    }
  }
  if (segments.size() < 2 || !std::all_of(segments.begin(), segments.end(), is_identifier)) {
    fail(where, quoted(path) + " is no path of the form 'module.name'");
  }
  return segments;
}

bool is_within(std::string_view path, std::string_view prefix) {
  return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '.');
}

}  // namespace perdure::recipe
