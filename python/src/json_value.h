#pragma once
// JSON between Python and the engine. All of it needs the GIL.
#include <nanobind/nanobind.h>

#include "perdure/base/json.h"
#include "perdure/recipe/recipe_error.h"

namespace perdure::python {

/// Plain JSON, from what Python's json module would give. Throws a RecipeError for anything else.
json::Value json_value(nanobind::handle object, const recipe::JsonPath& where);
nanobind::object json_object(const json::Value& value);

}  // namespace perdure::python
