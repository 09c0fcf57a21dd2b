#pragma once
// What a leaf of a template asks for, whatever host the template is of.
#include <cstdint>
#include <optional>

#include "perdure/base/array_view.h"
#include "perdure/base/dtype.h"
#include "perdure/base/leaf.h"
#include "perdure/base/scalar.h"
#include "perdure/base/shape.h"

namespace perdure::tree {

struct LeafTemplate {
  enum class Kind : std::uint8_t { kAny, kArray, kScalar };
  Kind kind = Kind::kAny;                      // kAny: as it was saved
  Shape shape;                                 // kArray: must equal the stored one
  bool any_shape = false;                      // kArray: `shape` does not matter
  std::optional<DType> dtype;                  // kArray: cast to this; nullopt: as stored
  ScalarKind scalar_kind = ScalarKind::kNone;  // kScalar
  std::optional<ArraySpan> target = {};        // kArray: put it there, if nothing has to be left out or padded
  bool or_none = false;                        // a stored None stays one
  bool own_memory = false;                     // not shared with other leaves that were one object when they were saved
};

/// A leaf that is there asks for its like: an array for shape and dtype, a plain value for its kind.
LeafTemplate template_of(const Leaf& leaf);

}  // namespace perdure::tree
