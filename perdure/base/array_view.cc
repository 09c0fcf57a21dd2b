#include "perdure/base/array_view.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "perdure/base/error.h"

namespace perdure {
namespace {

std::int64_t place_of(const Shape& index, const Strides& strides) {
  std::int64_t place = 0;
  for (std::size_t axis = 0; axis < strides.size(); ++axis) place += static_cast<std::int64_t>(index[axis]) * strides[axis];
  return place;
}

std::uint64_t size_of(const Shape& shape, DType dtype) { return checked_multiply(shape.element_count(), itemsize(dtype)); }

template <class View>
View sub_view(const View& view, const Box& box) {
  // Of an empty box there is no element to point at.
  return {box.empty() ? view.data : view.data + place_of(box.offset, view.strides), view.dtype, box.extent, view.strides};
}

}  // namespace

Strides contiguous_strides(const Shape& shape, std::size_t itemsize) {
  const std::uint64_t size = checked_multiply(shape.element_count(), itemsize);
  if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    throw Error(ErrorKind::kInvalid, "array of shape " + shape.str() + " has more than 2^63 bytes");
  }
  auto stride = static_cast<std::int64_t>(itemsize);
  Strides strides(shape.rank(), stride);
  if (size == 0) return strides;  // the product of some extents might overflow
  for (std::size_t axis = shape.rank(); axis-- > 0; stride *= static_cast<std::int64_t>(shape[axis])) strides[axis] = stride;
  return strides;
}

ArrayView ArrayView::contiguous(const std::byte* data, DType dtype, Shape shape) {
  Strides strides = contiguous_strides(shape, itemsize(dtype));
  return {data, dtype, std::move(shape), std::move(strides)};
}

std::uint64_t ArrayView::size_bytes() const { return size_of(shape, dtype); }

bool ArrayView::is_contiguous() const {
  auto expected = static_cast<std::int64_t>(itemsize(dtype));
  bool contiguous = true;
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    if (shape[axis] == 0) return true;
    if (shape[axis] == 1 || !contiguous) continue;
    contiguous = strides[axis] == expected;
    expected *= static_cast<std::int64_t>(shape[axis]);
  }
  return contiguous;
}

std::optional<std::vector<std::size_t>> ArrayView::axis_order() const {
  std::vector<std::size_t> order(shape.rank());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // The stride of an axis with one element says nothing: such an axis stays where it is.
  std::int64_t outer = std::numeric_limits<std::int64_t>::max();
  Strides places = strides;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1) places[axis] = outer;
    outer = places[axis];
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return places[a] > places[b]; });
  auto expected = static_cast<std::int64_t>(itemsize(dtype));
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::size_t axis = order[i];
    if (shape[axis] == 0) return std::nullopt;
    if (shape[axis] == 1) continue;
    if (strides[axis] != expected) return std::nullopt;
    expected *= static_cast<std::int64_t>(shape[axis]);
  }
  return order;
}

ByteView ArrayView::bytes() const { return {data, size_bytes()}; }

ArrayView ArrayView::sub(const Box& box) const { return sub_view(*this, box); }

ArraySpan ArraySpan::contiguous(std::byte* data, DType dtype, Shape shape) {
  Strides strides = contiguous_strides(shape, itemsize(dtype));
  return {data, dtype, std::move(shape), std::move(strides)};
}

ByteSpan ArraySpan::bytes() const { return {data, size_of(shape, dtype)}; }

ArraySpan ArraySpan::sub(const Box& box) const { return sub_view(*this, box); }

}  // namespace perdure
