#include "perdure/recipe/value.h"

#include <algorithm>
#include <iterator>

#include "perdure/base/origin.h"
#include "perdure/recipe/codecs/table.h"
#include "perdure/recipe/codecs/torch_names.h"
#include "perdure/recipe/dotted_path.h"

namespace perdure::recipe {

std::string package_of(const ArrayValue& array) { return std::string(package_of_origin(array.origin)); }

ArrayValue array_value(const ArrayLeaf& leaf) {
  std::vector<std::byte> memory(ArrayView::contiguous(nullptr, leaf.dtype, leaf.shape).size_bytes());
  const ArraySpan target = ArraySpan::contiguous(memory.data(), leaf.dtype, leaf.shape);
  for (const ArrayPiece& piece : leaf.pieces) copy_array(piece.view, target.sub(piece.box));
  const bool has_gradient = leaf.origin == origins::kTorchGradient;
  return {has_gradient ? std::string(origins::kTorch) : leaf.origin, leaf.dtype, leaf.shape, Blob::from(std::move(memory))};
}

bool is_known_origin(std::string_view origin) {
  if (const auto impl = random_key_impl(origin)) return is_identifier(*impl);
  const std::string_view word = origin.substr(0, origin.find('|')), kept_as = origin.substr(word.size());
  if (!kept_as.empty() && !(is_torch_origin(word) && find_torch_dtype(kept_as.substr(1)))) return false;
  return std::ranges::find(origins::kOfArrays, word) != std::end(origins::kOfArrays);
}

std::string Value::kind_name() const { return std::string(codec_of(*this).kind_name); }

}  // namespace perdure::recipe
