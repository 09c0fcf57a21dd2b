#include "python/src/adapters.h"

#include <nanobind/stl/string.h>

#include <utility>

#include "perdure/base/error.h"
#include "python/src/array_leaf.h"
#include "python/src/convert.h"
#include "python/src/errors.h"
#include "python/src/imported.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

constinit Imported abstract_of_any("perdure._src.adapters", "abstract");
constinit Imported adapter_of_class("perdure._src.adapters", "adapter_of_class");
constinit Imported adapter_of_origin("perdure._src.adapters", "adapter_of_origin");

template <class... Arguments>
nb::object call(nb::handle function, Arguments&&... arguments) {
  return with_our_errors([&] { return nb::object(function(std::forward<Arguments>(arguments)...)); });
}

}  // namespace

ArrayLeaf Adapters::describe(nb::handle leaf) {
  const Adapter& adapter = of_class(leaf.type());
  if (!adapter.describe.is_valid()) refuse_leaf(leaf, "");
  if (std::optional<ArrayLeaf> read = read_host_array(call(adapter.describe, leaf), leaf)) return *std::move(read);
  return *read_host_array(call(adapter.describe, leaf, nb::arg("shows_memory") = false), leaf);
}

nb::object Adapters::abstract(nb::handle leaf) {
  const Adapter& adapter = of_class(leaf.type());
  nb::object asked = call(adapter.abstract.is_valid() ? nb::handle(adapter.abstract) : *abstract_of_any, leaf);
  if (asked.is_none()) throw Error(ErrorKind::kInputType, "a template cannot hold a '" + class_name_of(leaf) + "'");
  return asked;
}

nb::object Adapters::restore(const std::string& origin, const nb::object& array) {
  const Adapter& adapter = of_origin(origin);
  return adapter.restore.is_valid() ? call(adapter.restore, origin, nb::none(), array) : array;
}

nb::object Adapters::restore_like(nb::handle target, const std::string& origin, const nb::object& array) {
  const Adapter& adapter = of_class(target.type());
  return adapter.restore.is_valid() ? call(adapter.restore, origin, target, array) : array;
}

Adapters::Adapter Adapters::adapter_of(const nb::object& module) {
  if (module.is_none()) return {};
  return {module.attr("describe"), module.attr("abstract"), module.attr("restore")};
}

const Adapters::Adapter& Adapters::of_class(nb::handle type) {
  const auto found = by_class_.find(type.ptr());
  if (found != by_class_.end()) return found->second.adapter;
  return by_class_.emplace(type.ptr(), OfClass{nb::borrow(type), adapter_of(call(*adapter_of_class, type))})
      .first->second.adapter;
}

const Adapters::Adapter& Adapters::of_origin(const std::string& origin) {
  const auto found = by_origin_.find(origin);
  if (found != by_origin_.end()) return found->second;
  return by_origin_.emplace(origin, adapter_of(call(*adapter_of_origin, origin))).first->second;
}

}  // namespace perdure::python
