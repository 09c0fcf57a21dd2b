#pragma once
// Arrays in JSON: {"dtype": "float32", "shape": [2, 3], "data": [[1.0, ...], ...]}.
//
// Data are numbers, nested as the shape says or in one flat list; {"__bytes__": ...} where some element is no JSON number (NaN, infinity,
// complex). The number of items is compared with the shape before anything is allocated.
#include "perdure/base/json.h"
#include "perdure/recipe/recipe_error.h"
#include "perdure/recipe/value.h"

namespace perdure::recipe {

/// `dtype_prefix`: "torch." where the dtype is written as torch prints it.
json::Value encode_array(const ArrayValue& array, std::string_view dtype_prefix);

/// Without `origin`. Throws a RecipeError for whatever is no array: keys missing or unknown, counts that differ, numbers that the dtype
/// does not hold.
ArrayValue decode_array(const json::Value& written, bool is_torch, const JsonPath& where);

}  // namespace perdure::recipe
