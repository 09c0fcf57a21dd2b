#pragma once
// The one form of a recipe's JSON, so that equal recipes have equal text.
//
// Numbers as the dumper writes them, an integer too long for Python's own reader under a tag; strict JSON: no NaN, no number that
// overflows a double, no key twice. Sizes are counted on the way.
#include "perdure/base/json.h"
#include "perdure/recipe/recipe_error.h"

namespace perdure::recipe {

/// Parses and canonicalises text. Throws a RecipeError for malformed, too long, too deep or too large text.
json::Value canonical_json(std::string_view text);

/// The same for a value that the host made. `depth`: 1 for a whole document, 2 for a member of its root.
json::Value canonical_json(const json::Value& value, const JsonPath& where, std::size_t depth = 1);

/// Digits of the longest integer that stands in JSON as a number.
inline constexpr std::size_t kPlainDigitsMax = 4000;

inline constexpr std::string_view kIntTag = "__int__";

/// An integer in decimal, as a number or under its tag.
json::Value written_integer(const std::string& digits);

}  // namespace perdure::recipe
