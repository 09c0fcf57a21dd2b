#include "python/src/leaf_maker.h"

#include <algorithm>
#include <utility>

#include "perdure/base/error.h"
#include "perdure/base/origin.h"
#include "perdure/checkpoint/read/load_template.h"
#include "python/src/convert.h"
#include "python/src/plain_type.h"
#include "python/src/python_array.h"
#include "python/src/python_enum.h"

namespace nb = nanobind;

namespace perdure::python {
namespace {

nb::object numpy_object(const LoadedArray& array) {
  const ByteView bytes = array.view.bytes();
  return numpy_array(array.view.dtype, array.view.shape, {const_cast<std::byte*>(bytes.data()), bytes.size()}, array.owner,
                     array.writable);
}

bool is_tied(const StoredLeaf& leaf) {
  const auto* const array = std::get_if<StoredArray>(&leaf);
  return array != nullptr && array->tied_to.has_value();
}

nb::object plain_like(nb::handle target, const Scalar& scalar, ObjectClass target_class) {
  nb::object value = leaf_object(scalar);
  if (target_class != ObjectClass::kEnum) return value;
  nb::object member = find_enum_member(target.type(), value);
  if (!member.is_none()) return member;
  throw Error(ErrorKind::kMismatch, "the checkpoint has " + std::string(nb::repr(value).c_str()) +
                                        ", which is no member of the template's '" + class_name_of(target) + "'");
}

}  // namespace

LeafMaker::LeafMaker(const TreeItem& item, bool as_numpy, Adapters& adapters)
    : item_(item), as_numpy_(as_numpy), has_ties_(std::ranges::any_of(item.leaves(), is_tied)), adapters_(adapters) {}

nb::object LeafMaker::without_template(std::uint32_t leaf_index, const checkpoint::RestoredLeaf& leaf) {
  const auto* const array = std::get_if<LoadedArray>(&leaf);
  if (array == nullptr) return leaf_object(std::get<Scalar>(leaf));
  if (has_ties_) return tied_array(leaf_index, *array);
  return as_saved(std::get<StoredArray>(item_.leaves()[leaf_index]).origin, numpy_object(*array));
}

nb::object LeafMaker::tied_array(std::uint32_t leaf_index, const LoadedArray& array) {
  const std::uint32_t source = checkpoint::source_leaf(item_, leaf_index);
  const std::string& origin = std::get<StoredArray>(item_.leaves()[leaf_index]).origin;
  const std::string& source_origin = std::get<StoredArray>(item_.leaves()[source]).origin;
  nb::object& made = tied_[{source, origin}];
  if (made.is_valid()) return made;
  made = numpy_object(array);
  if (source != leaf_index && !may_share_memory(origin, source_origin)) made = made.attr("copy")();
  return made = as_saved(origin, std::move(made));
}

nb::object LeafMaker::as_saved(const std::string& origin, nb::object array) const {
  if (origin == origins::kNumpyScalar) return array[nb::tuple()];
  if (as_numpy_ || origin.empty() || origin == origins::kNumpy) return array;
  return adapters_.restore(origin, array);
}

nb::object LeafMaker::with_template(std::uint32_t leaf_index, const checkpoint::RestoredLeaf& leaf, nb::handle target,
                                    ObjectClass target_class) const {
  const auto* const array = std::get_if<LoadedArray>(&leaf);
  if (array == nullptr) return plain_like(target, std::get<Scalar>(leaf), target_class);
  nb::object made = numpy_object(*array);
  if (target_class == ObjectClass::kNumpyScalar) return made[nb::tuple()];
  if (target_class == ObjectClass::kNumpyArray) return made;
  const auto* const stored = std::get_if<StoredArray>(&item_.leaves()[leaf_index]);
  return adapters_.restore_like(target, stored ? stored->origin : std::string(), made);
}

nb::object LeafMaker::of_saved_kind(std::uint32_t leaf_index, const LoadedArray& array) const {
  const auto* const stored = std::get_if<StoredArray>(&item_.leaves()[leaf_index]);
  return as_saved(stored ? stored->origin : std::string(), numpy_object(array));
}

}  // namespace perdure::python
