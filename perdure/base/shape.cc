#include "perdure/base/shape.h"

#include <algorithm>

#include "perdure/base/error.h"

namespace perdure {
namespace {

[[noreturn]] void fail_overflow(std::uint64_t a, const char* operation, std::uint64_t b) {
  throw Error(ErrorKind::kInvalid, std::to_string(a) + operation + std::to_string(b) + " does not fit 64 bits");
}

bool add_overflows(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum;
  return __builtin_add_overflow(a, b, &sum);
}

}  // namespace

std::uint64_t checked_multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product;
  if (__builtin_mul_overflow(a, b, &product)) fail_overflow(a, " * ", b);
  return product;
}

std::uint64_t checked_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) fail_overflow(a, " + ", b);
  return sum;
}

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  const std::uint64_t excess = value % alignment;
  return excess == 0 ? value : checked_add(value, alignment - excess);
}

std::uint64_t Shape::element_count() const {
  // An array with an extent of 0 is empty, however large the other extents are.
  if (std::ranges::find(dims_, 0u) != dims_.end()) return 0;
  std::uint64_t count = 1;
  for (const std::uint64_t extent : dims_) count = checked_multiply(count, extent);
  return count;
}

std::string Shape::str() const {
  std::string out = "(";
  for (std::size_t axis = 0; axis < rank(); ++axis) {
    if (axis > 0) out += ", ";
    out += std::to_string(dims_[axis]);
  }
  return out + (rank() == 1 ? ",)" : ")");
}

bool Box::empty() const { return std::ranges::find(extent, 0u) != extent.end(); }

bool Box::fits(const Shape& shape) const {
  if (offset.rank() != shape.rank() || extent.rank() != shape.rank()) return false;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (offset[axis] > shape[axis] || extent[axis] > shape[axis] - offset[axis]) return false;
  }
  return true;
}

std::string Box::str() const {
  std::string out = "[";
  for (std::size_t axis = 0; axis < offset.rank(); ++axis) {
    if (axis > 0) out += ", ";
    out += std::to_string(offset[axis]) + ":";
    out += add_overflows(offset[axis], extent[axis]) ? "overflow" : std::to_string(offset[axis] + extent[axis]);
  }
  return out + "]";
}

Box intersect(const Box& a, const Box& b) {
  Box common = a;
  for (std::size_t axis = 0; axis < a.offset.rank(); ++axis) {
    const std::uint64_t begin = std::max(a.offset[axis], b.offset[axis]);
    const std::uint64_t end = std::min(checked_add(a.offset[axis], a.extent[axis]), checked_add(b.offset[axis], b.extent[axis]));
    common.offset[axis] = begin;
    common.extent[axis] = begin < end ? end - begin : 0;
  }
  return common;
}

bool contains(const Box& outer, const Box& inner) { return intersect(outer, inner) == inner; }

Box relative_to(const Box& box, const Shape& origin) {
  Box moved = box;
  for (std::size_t axis = 0; axis < origin.rank(); ++axis) moved.offset[axis] -= origin[axis];
  return moved;
}

Box leading_box(const Shape& shape, std::uint64_t first, std::uint64_t count_max) {
  Box box = Box::whole(shape);
  std::uint64_t inner_count = 1;  // elements of one index on `axis`
  bool is_growing = true;         // the inner axes are whole in the box
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    box.offset[axis] = first % shape[axis];
    first /= shape[axis];
    const std::uint64_t left = shape[axis] - box.offset[axis];
    box.extent[axis] = is_growing ? std::min(left, count_max / inner_count) : 1;
    is_growing = is_growing && box.extent[axis] == shape[axis];
    inner_count *= box.extent[axis];
  }
  return box;
}

}  // namespace perdure
