// perdure.tree over the engine: conversions only.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "perdure/tree/state_dict.h"
#include "python/src/bindings.h"
#include "python/src/gc_pause.h"
#include "python/src/python_state.h"
#include "python/src/python_text.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

nb::dict state_dict(nb::handle root) {
  const GcPause pause;
  PythonState host(PythonState::For::kSaving);
  tree::save_state(host, root.ptr());
  return host.take_flat();
}

nb::list key_list(const std::vector<std::string>& keys) {
  nb::list list;
  for (const std::string& key : keys) list.append(text_object(key));
  return list;
}

nb::tuple from_state_dict(nb::handle target, nb::handle flat, bool copy) {
  const GcPause pause;
  PythonState host(PythonState::For::kRestoring, copy);
  const tree::Restored restored = tree::restore_state(host, target.ptr(), host.entries_of(flat));
  return nb::make_tuple(nb::borrow(object_of(restored.root)), key_list(restored.unused), key_list(restored.unfilled));
}

}  // namespace

void bind_state(nb::module_& m) {
  m.def("state_dict", state_dict, nb::arg("obj").none());
  m.def("from_state_dict", from_state_dict, nb::arg("template").none(), nb::arg("sd").none(), nb::kw_only(), nb::arg("copy"),
        "(object, keys that nothing asked for, array leaves that nothing filled).");
}

}  // namespace perdure::python
