#include "perdure/tree/leaf_template.h"

namespace perdure::tree {

LeafTemplate template_of(const Leaf& leaf) {
  LeafTemplate wanted;
  if (const auto* array = std::get_if<ArrayLeaf>(&leaf)) {
    wanted.kind = LeafTemplate::Kind::kArray;
    wanted.shape = array->shape;
    wanted.dtype = array->dtype;
  } else {
    wanted.kind = LeafTemplate::Kind::kScalar;
    wanted.scalar_kind = kind_of(std::get<Scalar>(leaf));
  }
  return wanted;
}

}  // namespace perdure::tree
