#pragma once
// perdure.recipe.BaseSpec and the Spec inside it.
#include <nanobind/nanobind.h>

#include <memory>

#include "perdure/recipe/spec.h"

namespace perdure::python {

/// The Spec of a BaseSpec; nullptr for any other object.
std::shared_ptr<const recipe::Spec> find_spec(nanobind::handle object);

/// The perdure._core.RecipeSpec that holds it.
nanobind::object spec_object(std::shared_ptr<const recipe::Spec> spec);

}  // namespace perdure::python
