#pragma once
// Shapes and boxes of arrays, with arithmetic that refuses to overflow.
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "perdure/base/axis_values.h"

namespace perdure {

/// `a * b` or `a + b`; throws kInvalid when the result does not fit 64 bits.
std::uint64_t checked_multiply(std::uint64_t a, std::uint64_t b);
std::uint64_t checked_add(std::uint64_t a, std::uint64_t b);
/// ceil(a / b), b > 0, without overflow.
constexpr std::uint64_t ceil_divide(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }
/// `value` rounded up to a multiple of `alignment` (> 0). Throws kInvalid on overflow.
std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment);

/// Extents of an array, outermost first. Rank 0 is a scalar; an extent of 0 means no elements.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<std::uint64_t> dims) : dims_(dims) {}
  explicit Shape(std::span<const std::uint64_t> dims) : dims_(dims) {}
  static Shape of_zeros(std::size_t rank) { return Shape(AxisValues<std::uint64_t>(rank)); }

  std::size_t rank() const { return dims_.size(); }
  std::uint64_t operator[](std::size_t axis) const { return dims_[axis]; }
  std::uint64_t& operator[](std::size_t axis) { return dims_[axis]; }
  std::span<const std::uint64_t> dims() const { return {dims_.data(), dims_.size()}; }
  auto begin() const { return dims_.begin(); }
  auto end() const { return dims_.end(); }
  bool operator==(const Shape&) const = default;

  /// Product of the extents; 1 for rank 0. Throws kInvalid when it does not fit 64 bits.
  std::uint64_t element_count() const;
  /// As Python prints a tuple: "()", "(3,)", "(2, 3)".
  std::string str() const;

 private:
  explicit Shape(AxisValues<std::uint64_t> dims) : dims_(std::move(dims)) {}

  AxisValues<std::uint64_t> dims_;
};

/// A rectangular part of an array: `extent` elements from `offset` on, axis by axis.
struct Box {
  Shape offset;
  Shape extent;

  static Box whole(const Shape& shape) { return {Shape::of_zeros(shape.rank()), shape}; }
  bool operator==(const Box&) const = default;
  bool empty() const;
  /// True if the box lies inside an array of `shape` (ranks equal, no overflow).
  bool fits(const Shape& shape) const;
  std::string str() const;  // "[0:2, 3:5]"
};

/// The common part of two boxes of one rank; an empty box (some extent 0) if there is none.
Box intersect(const Box& a, const Box& b);
/// True if every element of `inner` is one of `outer`. Neither is empty; of one rank.
bool contains(const Box& outer, const Box& inner);
/// `box` as seen from `origin`, which is nowhere beyond its offset.
Box relative_to(const Box& box, const Shape& origin);
/// The largest box whose elements are at most `count_max` (> 0) consecutive ones, in the C order of `shape`, from number `first` on.
Box leading_box(const Shape& shape, std::uint64_t first, std::uint64_t count_max);

}  // namespace perdure
