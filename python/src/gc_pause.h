#pragma once
// Python's collector, out of the way while many objects are made.
#include <nanobind/nanobind.h>

namespace perdure::python {

/// While it lives, Python looks for no cycles: of 20,000 leaves that are made none is garbage, but each 700 would start a search
/// through all objects. Made and destroyed with the GIL held.
class GcPause {
 public:
  GcPause() : was_enabled_(PyGC_Disable() == 1) {}
  ~GcPause() {
    if (was_enabled_) PyGC_Enable();
  }
  GcPause(const GcPause&) = delete;
  GcPause& operator=(const GcPause&) = delete;

 private:
  bool was_enabled_;
};

}  // namespace perdure::python
