#pragma once
// What module.cc puts together: one function for each .cc file here that adds names to perdure._core.
//
// To add one: a .cc file with a bind_x, its declaration below, its call in module.cc, its line in CMakeLists.txt.
#include <nanobind/nanobind.h>

namespace perdure::python {

void bind_base(nanobind::module_& m);
void bind_checkpoint(nanobind::module_& m);
void bind_errors(nanobind::module_& m);
void bind_item_writers(nanobind::module_& m);
void bind_leaves(nanobind::module_& m);
void bind_serializers(nanobind::module_& m);
void bind_state(nanobind::module_& m);
void bind_recipe(nanobind::module_& m);
void bind_handlers(nanobind::module_& m);
void bind_save(nanobind::module_& m);
void bind_storage(nanobind::module_& m);

}  // namespace perdure::python
