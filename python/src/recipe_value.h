#pragma once
// Values of recipes between Python and the engine. All of it needs the GIL.
#include <nanobind/nanobind.h>

#include <string>

#include "perdure/recipe/recipe_error.h"
#include "perdure/recipe/value.h"

namespace perdure::python {

/// The value of an object. `host`: perdure._src.recipe.host.Host, asked for what is no plain value. Throws a RecipeError.
recipe::Value recipe_value(nanobind::handle object, nanobind::handle host, const recipe::JsonPath& where);

enum class Restore {
  kFull,  // the object itself: may import and call
  kView,  // what is known without importing or calling; else as it is written
};
nanobind::object recipe_object(const recipe::Value& value, nanobind::handle host, const recipe::JsonPath& where, Restore how);

}  // namespace perdure::python
