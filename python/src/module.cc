#include <nanobind/nanobind.h>

#include "python/src/bindings.h"
#include "python/src/python_array.h"

NB_MODULE(_core, m) {
  nanobind::set_leak_warnings(false);  // what a program still holds when it ends is no leak, and we print nothing
  m.doc() = "The C++ engine of perdure. Private: use the package's public modules.";
  m.attr("__version__") = PERDURE_VERSION;
  perdure::python::bind_errors(m);
  perdure::python::bind_base(m);
  perdure::python::bind_memory(m);
  perdure::python::bind_serializers(m);
  perdure::python::bind_state(m);
  perdure::python::bind_recipe(m);
  perdure::python::bind_storage(m);
  perdure::python::bind_leaves(m);
  perdure::python::bind_checkpoint(m);
  perdure::python::bind_handlers(m);
  perdure::python::bind_item_writers(m);
  perdure::python::bind_save(m);
}
