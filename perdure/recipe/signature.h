#pragma once
// What a target can be called with, and whether a recipe's arguments are that.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/base/json.h"
#include "perdure/recipe/value_codec.h"

namespace perdure::recipe {

struct Parameter {
  enum class Kind : std::uint8_t { kPositionalOnly, kPlain, kVarPositional, kKeywordOnly, kVarKeyword };
  std::string name;
  Kind kind = Kind::kPlain;
  bool has_default = false;
  Expected expected;
  std::optional<json::Value> written_default;  // as encode() writes it, if it can
};

struct Signature {
  std::vector<Parameter> parameters;

  /// The parameter that an argument of this name goes to by keyword: of its own name, or the one that takes any; else nullptr.
  const Parameter* find(std::string_view name) const;
  /// What find() expects; any value where it finds none.
  ArgumentForm form(std::string_view name) const;
};

/// Throws a RecipeError of kind kRecipeType for a positional-only parameter: a recipe has names only.
void check_callable_by_name(const Signature& signature, const std::string& path, const JsonPath& where);

/// What is wrong with a call of `positional_count` arguments without names and `names`: unknown, given twice or missing; empty if nothing.
std::string call_fault(const Signature& signature, std::size_t positional_count, std::span<const std::string> names);

}  // namespace perdure::recipe
