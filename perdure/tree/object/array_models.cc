#include "perdure/tree/object/array_models.h"

#include <algorithm>

namespace perdure::tree {

LeafTemplate array_template(DType dtype, Shape shape) {
  LeafTemplate wanted;
  wanted.kind = LeafTemplate::Kind::kArray;
  wanted.dtype = dtype;
  wanted.shape = std::move(shape);
  return wanted;
}

std::function<void()> copy_into(FittedArray value, ArraySpan span) {
  if (value.view.data == span.data) return [] {};  // was read into its place
  return [value = std::move(value), span = std::move(span)] { copy_array(value.view, span); };
}

Leaf Model<std::vector<bool>>::read(const void* leaf) const {
  const std::vector<bool>& bits = object_at(leaf);
  auto bytes = std::make_shared<std::vector<std::byte>>(bits.size());
  std::ranges::transform(bits, bytes->begin(), [](bool bit) { return std::byte{bit}; });
  return Value::array(Shape{bits.size()}, DType::kBool, *bytes, bytes).as_leaf();
}

LeafTemplate Model<std::vector<bool>>::asked_for(const void* leaf) const {
  LeafTemplate wanted = array_template(DType::kBool, Shape{object_at(leaf).size()});
  wanted.any_shape = wanted.shape[0] == 0;
  return wanted;
}

Staged Model<std::vector<bool>>::stage(void* leaf, const Leaf& value) const {
  std::vector<bool>& object = object_at(leaf);
  FittedArray fitted = fit_array(value, DType::kBool);
  if (!object.empty() || fitted.view.shape.rank() != 1) check_shape(fitted.view.shape, Shape{object.size()});
  std::vector<std::byte> bytes(fitted.view.shape[0]);
  gather_bytes(fitted.view, 0, bytes);
  auto fresh = std::make_shared<std::vector<bool>>(bytes.size());
  std::transform(bytes.begin(), bytes.end(), fresh->begin(), [](std::byte bit) { return bit != std::byte{0}; });
  return {[&object, fresh] { object = std::move(*fresh); }, fitted.lossy};
}

}  // namespace perdure::tree
