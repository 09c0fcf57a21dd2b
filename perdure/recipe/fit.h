#pragma once
// Whether a value is what an argument expects. Annotations refuse; they never convert.
#include "perdure/recipe/expected.h"
#include "perdure/recipe/recipe_error.h"
#include "perdure/recipe/value.h"

namespace perdure::recipe {

bool fits(const Value& value, const Expected& expected);

/// Throws a RecipeError that says where in the value the fault is.
void check_fits(const Value& value, const Expected& expected, const JsonPath& where);

}  // namespace perdure::recipe
