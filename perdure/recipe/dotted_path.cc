#include "perdure/recipe/dotted_path.h"

#include <algorithm>

#include "perdure/recipe/limits.h"

namespace perdure::recipe {
namespace {

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::vector<std::string_view> split_at(std::string_view path, std::string_view separator, std::string_view form,
                                       const JsonPath& where) {
  std::vector<std::string_view> segments;
  if (path.size() <= kLimits.path_bytes_max) {
    for (std::string_view rest = path;;) {
      const std::size_t end = std::min(rest.find(separator), rest.size());
      segments.push_back(rest.substr(0, end));
      if (end == rest.size()) break;
      rest.remove_prefix(end + separator.size());
    }
  }
  if (segments.size() < 2 || !std::all_of(segments.begin(), segments.end(), is_identifier)) {
    fail(where, quoted(path) + " is no path of the form '" + std::string(form) + "'");
  }
  return segments;
}

}  // namespace

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

std::vector<std::string_view> split_path(std::string_view path, const JsonPath& where) {
  return split_at(path, ".", "module.name", where);
}

void check_any_path(std::string_view path, const JsonPath& where) {
  if (path.find("::") == std::string_view::npos) {
    split_path(path, where);
  } else {
    split_at(path, "::", "space::name", where);
  }
}

bool is_within(std::string_view path, std::string_view prefix) {
  return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '.');
}

}  // namespace perdure::recipe
