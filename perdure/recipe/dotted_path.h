#pragma once
// Dotted paths: "torch.nn.Linear" of Python, "demo::Mlp" of C++. Identifiers of ASCII letters, digits and underscores, so that two
// paths that look alike are alike.
#include <string>
#include <string_view>
#include <vector>

#include "perdure/recipe/recipe_error.h"

namespace perdure::recipe {

bool is_identifier(std::string_view text);

/// The identifiers between the dots, at least two. Throws a RecipeError for any other text.
std::vector<std::string_view> split_path(std::string_view path, const JsonPath& where);

/// The same for a path of any host: the identifiers may also stand between "::".
void check_any_path(std::string_view path, const JsonPath& where);

/// True for "a.b" and prefix "a" or "a.b"; false for "ab" and prefix "a".
bool is_within(std::string_view path, std::string_view prefix);

/// "__init__", "_impl": a segment that the author of a module keeps to himself.
inline bool is_private(std::string_view segment) { return segment.starts_with('_'); }

}  // namespace perdure::recipe
