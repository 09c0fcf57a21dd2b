#pragma once
// perdure._src.adapters: the arrays of other frameworks. All of it needs the GIL.
#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <unordered_map>

#include "perdure/base/leaf.h"

namespace perdure::python {

/// Asks for the adapter of each class, and of each origin, once. For one save or load.
class Adapters {
 public:
  /// Throws kInputType saying why the object cannot be saved.
  ArrayLeaf describe(nanobind::handle leaf);

  /// What a template leaf asks for: perdure._src.adapters.protocol.Abstract. Throws kInputType for what is no array.
  nanobind::object abstract(nanobind::handle leaf);

  /// The leaf that a NumPy array becomes, as it was saved.
  nanobind::object restore(const std::string& origin, const nanobind::object& array);
  /// The same, for a template leaf. An array of NumPy's if the template's class is no framework's.
  nanobind::object restore_like(nanobind::handle target, const std::string& origin, const nanobind::object& array);

 private:
  struct Adapter {
    nanobind::object describe, abstract, restore;  // functions; not valid for what no framework knows
  };
  struct OfClass {
    nanobind::object type;  // kept alive: its address is the key
    Adapter adapter;
  };
  static Adapter adapter_of(const nanobind::object& module);
  const Adapter& of_class(nanobind::handle type);
  const Adapter& of_origin(const std::string& origin);

  std::unordered_map<PyObject*, OfClass> by_class_;
  std::unordered_map<std::string, Adapter> by_origin_;
};

}  // namespace perdure::python
