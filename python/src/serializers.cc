#include "python/src/serializers.h"

#include <utility>
#include <vector>

#include "perdure/base/error.h"
#include "perdure/base/immortal.h"
#include "python/src/bindings.h"
#include "python/src/convert.h"
#include "python/src/imported.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

constinit Imported meet("perdure._src.adapters", "meet");

void register_serializer(nb::handle type, nb::object save, nb::object load, nb::object copy_leaf, nb::object restore_leaf) {
  PythonSerializer serializer{std::move(save), std::move(load), {}, {}};
  if (!copy_leaf.is_none()) {
    serializer.copy_leaf = std::move(copy_leaf);
    serializer.restore_leaf = std::move(restore_leaf);
  }
  const FoundSerializer replaced = serializers().set(type.ptr(), std::move(serializer));
  if (replaced == nullptr) type.inc_ref();  // a registered class lives as long as the process
}

nb::object pair_of(const FoundSerializer& found) {
  return found == nullptr ? nb::none() : nb::object(nb::make_tuple(found->save, found->load));
}

}  // namespace

tree::TypeRegistry<PythonSerializer>& serializers() {
  static auto& registry = make_immortal<tree::TypeRegistry<PythonSerializer>>();  // outlives the interpreter
  return registry;
}

FoundSerializer resolve_serializer(nb::handle type) {
  (*meet)(type);
  std::vector<tree::TypeRef> order;
  for (const nb::handle base : nb::object(type.attr("__mro__"))) order.push_back(base.ptr());
  return serializers().resolve(order);
}

nb::object relative_dict(const PythonSerializer& serializer, nb::handle object) {
  nb::object relative = serializer.save(object);
  if (nb::isinstance(relative, *imported::mapping)) return relative;
  throw Error(ErrorKind::kInputType,
              "the serializer of a '" + class_name_of(object) + "' gave a '" + class_name_of(relative) + "', not a mapping");
}

void bind_serializers(nb::module_& m) {
  m.def("_register_serializer", register_serializer, nb::arg("type"), nb::arg("save"), nb::arg("load"),
        nb::arg("copy_leaf").none() = nb::none(), nb::arg("restore_leaf").none() = nb::none());
  m.def(
      "_lookup_serializer", [](nb::handle type) { return pair_of(serializers().find(type.ptr())); }, nb::arg("type"),
      "(save, load) of exactly this class, or None.");
  m.def(
      "_resolve_serializer", [](nb::handle type) { return pair_of(resolve_serializer(type)); }, nb::arg("type"),
      "(save, load) of the class or of its nearest base, or None.");
}

}  // namespace perdure::python
