#include "perdure/recipe/policy.h"

#include <algorithm>
#include <unordered_map>

#include "perdure/base/error.h"
#include "perdure/recipe/dotted_path.h"
#include "perdure/recipe/policy_table.h"

namespace perdure::recipe {
namespace {

using RowByPath = std::unordered_map<std::string_view, const PolicyRow*>;

RowByPath index_of(std::span<const PolicyRow> rows) {
  RowByPath index;
  for (const PolicyRow& row : rows) {
    std::string_view rest = row.paths;
    while (!rest.empty()) {
      const std::size_t space = std::min(rest.find(' '), rest.size());
      if (space > 0) index.emplace(rest.substr(0, space), &row);
      rest.remove_prefix(std::min(space + 1, rest.size()));
    }
  }
  return index;
}

/// The row of the longest prefix of `path`.
const PolicyRow* find_row(std::string_view path) {
  static const RowByPath index = index_of(policy_table());
  for (std::string_view prefix = path;;) {
    if (const auto row = index.find(prefix); row != index.end()) return row->second;
    const std::size_t dot = prefix.rfind('.');
    if (dot == std::string_view::npos) return nullptr;
    prefix = prefix.substr(0, dot);
  }
}

/// What a function's own name says: "load", "load_inline", "read_gpickle".
const PolicyRow* find_row_of_name(std::string_view path) {
  static const RowByPath index = index_of(name_table());
  std::string_view name = path.substr(path.rfind('.') + 1);  // npos + 1 is 0
  if (name.empty() || name.front() < 'a' || name.front() > 'z') return nullptr;
  if (name.find("pickle") != std::string_view::npos) name = "unpickle";
  for (const std::string_view part : {name, name.substr(0, name.find('_'))}) {
    if (const auto row = index.find(part); row != index.end()) return row->second;
  }
  return nullptr;
}

bool has_private_segment(std::string_view path) { return is_private(path) || path.find("._") != std::string_view::npos; }

std::optional<std::string> refused_by(const PolicyRow* row, bool is_base) {
  if (row == nullptr || row->verdict == Verdict::kAllowed) return std::nullopt;
  if (is_base && row->verdict == Verdict::kBaseOnly) return std::nullopt;
  return std::string(row->rule);
}

void check_dotted(const std::string& name) {
  std::string_view rest = name;
  while (!rest.empty()) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    if (!is_identifier(rest.substr(0, dot)) || dot + 1 == rest.size()) break;
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  if (name.empty() || !rest.empty()) throw Error(ErrorKind::kInvalid, "a policy cannot name " + quoted(name));
}

}  // namespace

Policy::Policy(std::optional<std::vector<std::string>> modules, std::vector<std::string> allow)
    : modules_(std::move(modules)), allow_(std::move(allow)) {
  for (const std::string& path : allow_) check_dotted(path);
  for (const std::string& module : modules_.value_or(std::vector<std::string>())) check_dotted(module);
}

bool Policy::is_allowed_by_name(std::string_view path) const {
  return std::find(allow_.begin(), allow_.end(), path) != allow_.end();
}

std::optional<std::string> Policy::refuses_path(std::string_view path) const {
  if (is_allowed_by_name(path)) return std::nullopt;
  if (has_private_segment(path)) return "private";
  if (auto rule = refuses_object(path)) return rule;
  if (const PolicyRow* row = find_row_of_name(path)) return std::string(row->rule);
  const auto covers = [path](const std::string& module) { return is_within(path, module); };
  if (modules_ && std::none_of(modules_->begin(), modules_->end(), covers)) return "not in the allowed modules";
  return std::nullopt;
}

std::optional<std::string> Policy::refuses_object(std::string_view name) const { return refused_by(find_row(name), false); }
std::optional<std::string> Policy::refuses_base(std::string_view name) const { return refused_by(find_row(name), true); }

std::optional<std::string> Policy::refuses_origin(std::string_view name) const {
  const auto package = [](std::string_view path) { return path.substr(0, path.find('.')); };
  const auto is_home = [&](const std::string& module) { return package(module) == package(name); };
  if (!modules_ || std::any_of(modules_->begin(), modules_->end(), is_home)) return std::nullopt;
  return "from a package outside the allowed modules";
}

void refuse(std::string_view path, const std::string& rule, const JsonPath& where) {
  throw RecipeError(ErrorKind::kRecipe, where, std::string(path), rule);
}

void Policy::check_path(std::string_view path, const JsonPath& where) const {
  split_path(path, where);
  if (const auto rule = refuses_path(path)) refuse(path, *rule, where);
}

}  // namespace perdure::recipe
