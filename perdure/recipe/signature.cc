#include "perdure/recipe/signature.h"

#include <algorithm>

#include "perdure/base/quoted_list.h"

namespace perdure::recipe {
namespace {

using Kind = Parameter::Kind;

bool is_positional(const Parameter& parameter) {
  return parameter.kind == Kind::kPositionalOnly || parameter.kind == Kind::kPlain;
}

bool is_variable(const Parameter& parameter) {
  return parameter.kind == Kind::kVarPositional || parameter.kind == Kind::kVarKeyword;
}

bool has(std::span<const std::string> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

const Parameter* Signature::find(std::string_view name) const {
  const Parameter* any = nullptr;
  for (const Parameter& parameter : parameters) {
    if (parameter.kind == Kind::kVarKeyword) any = &parameter;
    if (parameter.name == name && (parameter.kind == Kind::kPlain || parameter.kind == Kind::kKeywordOnly)) return &parameter;
  }
  return any;
}

ArgumentForm Signature::form(std::string_view name) const {
  const Parameter* parameter = find(name);
  if (parameter == nullptr) return {};
  return {parameter->expected, parameter->written_default ? &*parameter->written_default : nullptr};
}

void check_callable_by_name(const Signature& signature, const std::string& path, const JsonPath& where) {
  for (const Parameter& parameter : signature.parameters) {
    if (parameter.kind == Kind::kPositionalOnly) {
      fail_type(where, path + " has the positional-only parameter " + quoted(parameter.name) + ", and a recipe has names only");
    }
  }
}

std::string call_fault(const Signature& signature, std::size_t positional_count, std::span<const std::string> names) {
  std::vector<std::string> unknown, twice, missing;
  for (const std::string& name : names) {
    if (signature.find(name) == nullptr) unknown.push_back(name);
  }
  std::size_t left = positional_count;
  bool takes_more = false;
  for (const Parameter& parameter : signature.parameters) {
    takes_more = takes_more || parameter.kind == Kind::kVarPositional;
    if (is_variable(parameter)) continue;
    const bool is_given = is_positional(parameter) && left > 0;
    if (is_given) --left;
    if (is_given && has(names, parameter.name)) twice.push_back(parameter.name);
    if (!is_given && !parameter.has_default && !has(names, parameter.name)) missing.push_back(parameter.name);
  }
  if (!unknown.empty()) return "it has no argument " + quoted_list(unknown);
  if (!twice.empty()) return "it is given twice: " + quoted_list(twice);
  if (!missing.empty()) return "it needs " + quoted_list(missing);
  if (left > 0 && !takes_more) return std::to_string(positional_count) + " arguments without a name are too many";
  return "";
}

}  // namespace perdure::recipe
