#pragma once
// Leaves of a load as Python objects. All of it needs the GIL.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/read/restore.h"
#include "python/src/python_host.h"

namespace perdure::python {

/// For one load.
class LeafMaker {
 public:
  /// `as_numpy`: where the template does not say, arrays of NumPy, whatever was saved.
  LeafMaker(const TreeItem& item, bool as_numpy, Adapters& adapters);

  /// The kind of object that was saved. Leaves that were one object become one.
  nanobind::object without_template(std::uint32_t leaf_index, const checkpoint::RestoredLeaf& leaf);
  nanobind::object with_template(std::uint32_t leaf_index, const checkpoint::RestoredLeaf& leaf, nanobind::handle target,
                                 ObjectClass target_class) const;
  /// For a template that asks for an array and says nothing of its kind.
  nanobind::object of_saved_kind(std::uint32_t leaf_index, const LoadedArray& array) const;

 private:
  nanobind::object as_saved(const std::string& origin, nanobind::object array) const;
  nanobind::object tied_array(std::uint32_t leaf_index, const LoadedArray& array);

  const TreeItem& item_;
  bool as_numpy_;
  bool has_ties_;
  Adapters& adapters_;
  std::map<std::pair<std::uint32_t, std::string>, nanobind::object> tied_;  // by the leaf that others are tied to, and origin
};

}  // namespace perdure::python
