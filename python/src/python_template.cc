#include "python/src/python_template.h"

#include <nanobind/stl/string.h>

#include <string>
#include <utility>
#include <vector>

#include "perdure/base/error.h"
#include "python/src/array_leaf.h"
#include "python/src/convert.h"
#include "python/src/plain_type.h"
#include "python/src/python_array.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

using checkpoint::LeafTemplate;

LeafTemplate array_template(std::optional<DType> dtype, const nb::object& shape) {
  LeafTemplate result;
  result.kind = LeafTemplate::Kind::kArray;
  result.dtype = dtype;
  std::vector<std::uint64_t> dims;
  for (nb::handle dim : shape) dims.push_back(nb::cast<std::uint64_t>(dim));
  result.shape = Shape(std::move(dims));
  return result;
}

DType dtype_of(const nb::object& numpy_dtype) {
  const std::optional<DType> found = find_dtype_of(numpy_dtype);
  return found ? *found : dtype_from_name(nb::cast<std::string>(numpy_dtype.attr("name")));
}

LeafTemplate scalar_template(ScalarKind kind) {
  LeafTemplate result;
  result.kind = LeafTemplate::Kind::kScalar;
  result.scalar_kind = kind;
  return result;
}

LeafTemplate other_template(nb::handle object, Adapters& adapters) {
  if (const PlainType* const asked = find_plain_type(object)) return scalar_template(asked->kind);  // `int`: any int
  const nb::object asked = adapters.abstract(object), dtype = asked[0];
  return array_template(dtype.is_none() ? std::nullopt : std::optional(dtype_from_name(nb::cast<std::string>(dtype))), asked[1]);
}

LeafTemplate leaf_template(nb::handle object, ObjectClass object_class, Adapters& adapters) {
  switch (object_class) {
    case ObjectClass::kPlain:
    case ObjectClass::kEnum: return scalar_template(find_plain_base(object.type())->kind);
    case ObjectClass::kNumpyArray:
    case ObjectClass::kNumpyScalar: return array_template(dtype_of(object.attr("dtype")), object.attr("shape"));
    default: return other_template(object, adapters);
  }
}

}  // namespace

PythonTemplate::PythonTemplate(nb::handle placeholder, nb::handle leaf_types, nb::handle type_handlers)
    : placeholder_(placeholder),
      leaf_types_(leaf_types),
      reader_({.opens_serialized = false, .leaf_types = leaf_types, .type_handlers = type_handlers}),
      native_({.opens_serialized = false, .leaf_types = leaf_types}) {}

bool PythonTemplate::takes_all_below(ObjectRef leaf) { return reader_.object_class(object_of(leaf)) == ObjectClass::kSerialized; }

std::optional<LeafTemplate> PythonTemplate::asked_for(ObjectRef leaf) {
  const nb::handle object = object_of(leaf);
  if (object.is(placeholder_)) return std::nullopt;
  const ObjectClass object_class = reader_.object_class(object);
  if (object_class == ObjectClass::kHandled || is_described(object)) return LeafTemplate{};
  return leaf_template(object, object_class, adapters());
}

// By a handler of the user, for a leaf that is no array.
bool PythonTemplate::is_described(nb::handle object) const { return is_metadata(object) && !nb::hasattr(object, "dtype"); }

void PythonTemplate::check_is_native(nb::handle target, bool is_array, const std::string& key) {
  try {
    leaf_template(target, native_class(target), adapters());
  } catch (const Error&) {
    throw Error(ErrorKind::kMismatch, "'" + key + "' is " + (is_array ? "an array" : "a plain value") +
                                          " in the checkpoint, a '" + class_name_of(target) + "' in the template");
  }
}

}  // namespace perdure::python
