#pragma once
// Strided arrays in memory: what is known of them, and copies between them.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "perdure/base/axis_values.h"
#include "perdure/base/bytes.h"
#include "perdure/base/dtype.h"
#include "perdure/base/shape.h"

namespace perdure {

/// Distances in bytes between neighbours along each axis; may be negative or zero.
using Strides = AxisValues<std::int64_t>;

/// Strides of a C-ordered array without gaps.
Strides contiguous_strides(const Shape& shape, std::size_t itemsize);

/// Element type, shape and place of an array that somebody else owns. `data` is the element of index 0 on every axis.
struct ArrayView {
  const std::byte* data = nullptr;
  DType dtype = DType::kUint8;
  Shape shape;
  Strides strides;

  static ArrayView contiguous(const std::byte* data, DType dtype, Shape shape);
  std::uint64_t size_bytes() const;  // of the elements, gaps not counted; throws kInvalid on overflow
  bool is_contiguous() const;        // C order without gaps
  /// The axes from the outermost in memory to the innermost, if the elements have no gaps in this order. nullopt too for arrays
  /// without elements.
  std::optional<std::vector<std::size_t>> axis_order() const;
  ByteView bytes() const;  // needs is_contiguous()
  ArrayView sub(const Box& box) const;
};

/// The same, to be filled.
struct ArraySpan {
  std::byte* data = nullptr;
  DType dtype = DType::kUint8;
  Shape shape;
  Strides strides;

  static ArraySpan contiguous(std::byte* data, DType dtype, Shape shape);
  ArrayView view() const { return {data, dtype, shape, strides}; }
  ByteSpan bytes() const;  // needs contiguous strides
  ArraySpan sub(const Box& box) const;
};

/// Copies elements between arrays of equal shape and itemsize, whatever their strides. Must not overlap.
void copy_array(const ArrayView& source, const ArraySpan& target);

/// C-ordered bytes [offset, offset + target.size()) of `source`, gathered. For writers that pack a strided array piece by piece.
void gather_bytes(const ArrayView& source, std::uint64_t offset_bytes, ByteSpan target);

/// A byte-swapping copy for elements of a byte order that is not the machine's. Swaps halves of complex numbers each.
void swap_byte_order(ByteSpan elements, DType dtype);

}  // namespace perdure
