#pragma once
// One tree of a checkpoint as Python objects, with or without a template.
#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <vector>

#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/read/load_template.h"

namespace perdure::python {

struct LoadArguments {
  std::string name;                              // of the item, or "AUTO"
  nanobind::object target;                       // the template; None: as saved
  std::optional<std::vector<std::string>> only;  // key paths and patterns
  nanobind::object placeholder;                  // the object that, in a template, leaves its leaf alone
  nanobind::object leaf_types;                   // a tuple of classes whose instances, in a template, are leaves
  nanobind::object type_handlers;                // as in ReaderPolicy; None: there are none of the user's
  /// Function: list of (storage name, typestr, object of the template or None) -> their values. For leaves that handlers keep, and for
  /// all whose typestr is one of `handled_typestrs`.
  nanobind::object load_handled;
  nanobind::object handled_typestrs;  // a set
  bool as_numpy = false;              // where the template does not say: NumPy arrays, whatever was saved
  checkpoint::TemplateOptions options;
  ReadOptions read;
};

/// Returns (tree, key paths whose values a cast has changed).
nanobind::tuple load_tree(const Checkpoint& checkpoint, const LoadArguments& arguments);

}  // namespace perdure::python
