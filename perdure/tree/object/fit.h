#pragma once
// Makes stored values fit the C++ objects that ask for them. Each throws kMismatch for what has no such value.
#include <cstdint>
#include <memory>

#include "perdure/base/array_view.h"
#include "perdure/base/leaf.h"
#include "perdure/base/scalar.h"
#include "perdure/tree/leaf_template.h"

namespace perdure::tree {

/// `value` as that kind of plain value; an array without axes counts as its element. Sets `lossy` when the number is another one.
Scalar fit_scalar(const Leaf& value, ScalarKind kind, bool& lossy);
/// The same within bounds: "300 does not fit int8".
std::int64_t fit_signed(const Leaf& value, std::int64_t min, std::int64_t max, bool& lossy);
std::uint64_t fit_unsigned(const Leaf& value, std::uint64_t max, bool& lossy);

struct FittedArray {
  ArrayView view;
  std::shared_ptr<const void> owner;
  bool lossy = false;
};
/// `value` as array of that dtype in one piece, cast if need be; a number is an array without axes.
FittedArray fit_array(const Leaf& value, DType dtype);
/// Throws kMismatch when they differ.
void check_shape(const Shape& stored, const Shape& wanted);

bool is_none(const Leaf& value);
/// True if `value` is of the kind that is asked for: the same kind of plain value, or an array of that dtype and rank.
bool fits_as_it_is(const LeafTemplate& wanted, const Leaf& value);
/// Bit by bit.
bool is_same(const Leaf& a, const Leaf& b);
/// The same array in memory that nobody else has.
ArrayLeaf copy_of(const ArrayLeaf& array);

}  // namespace perdure::tree
