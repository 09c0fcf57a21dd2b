#pragma once
// Names of Python modules that are looked up once, when they are first needed.
#include <nanobind/nanobind.h>

namespace perdure::python {

/// `constinit Imported asarray("numpy", "asarray");` in the one file that needs it, below if several do, and then `(*asarray)(x)`,
/// with the GIL held. Not a function's static object: its lock would be held during an import, while other threads run and may wait for
/// it with the GIL.
class Imported {
 public:
  constexpr Imported(const char* module, const char* name) : module_(module), name_(name) {}

  nanobind::handle operator*() {
    if (object_ == nullptr) object_ = nanobind::object(nanobind::module_::import_(module_).attr(name_)).release().ptr();
    return object_;
  }

 private:
  const char* module_;
  const char* name_;
  PyObject* object_ = nullptr;  // lives as long as the interpreter
};

namespace imported {
inline constinit Imported mapping("collections.abc", "Mapping");
inline constinit Imported mutable_mapping("collections.abc", "MutableMapping");
/// The module that takes a framework's container apart, with the functions of perdure._src.adapters.protocol.Nodes; None for all else.
inline constinit Imported nodes_of("perdure._src.adapters", "nodes_of");
}  // namespace imported

}  // namespace perdure::python
