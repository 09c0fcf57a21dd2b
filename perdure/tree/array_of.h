#pragma once
// Which C++ types are arrays, so that all their elements are one leaf.
//
// Contiguous numbers are: std::vector<float>, std::array<int, 3>, double[2][4], std::array<std::array<float, 3>, 2>,
// std::span<float>, std::vector<bool>; each of as many axes as it is nested, but a vector of vectors is a list of arrays. A tensor
// type of your own says it by a specialization:
//
//   template <>
//   struct perdure::array_of<Tensor> {
//     static ArraySpan span(Tensor& tensor) { return {tensor.bytes(), DType::kBfloat16, tensor.shape(), tensor.strides()}; }
//     static void resize(Tensor& tensor, const Shape& shape) { tensor.resize(shape); }
//   };
//
// Shapes must be equal when an array is restored. With the optional `resize`, one that has no elements takes the shape that was saved.
#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "perdure/base/array_view.h"
#include "perdure/base/error.h"
#include "perdure/tree/value.h"

namespace perdure {

/// span: where the elements lie. resize: throws kMismatch for a shape that the type cannot have.
template <class T>
struct array_of;

template <class T>
concept ArrayType = requires(T& array) {
  { array_of<T>::span(array) } -> std::same_as<ArraySpan>;
};

/// Of a C++ type that is also a type of array elements.
template <class T>
concept ElementType = (std::is_arithmetic_v<T> && !std::same_as<T, long double>) || std::same_as<T, std::complex<float>> ||
                      std::same_as<T, std::complex<double>>;

namespace tree {

/// The innermost elements of arrays of fixed size, and the extents from the outside in.
template <class T>
struct FixedArray {
  using Element = T;
  static void append_extents(std::vector<std::uint64_t>&) {}
};
template <class T, std::size_t N>
struct FixedArray<std::array<T, N>> {
  using Element = typename FixedArray<T>::Element;
  static void append_extents(std::vector<std::uint64_t>& extents) {
    extents.push_back(N);
    FixedArray<T>::append_extents(extents);
  }
};
template <class T, std::size_t N>
struct FixedArray<T[N]> : FixedArray<std::array<T, N>> {};

}  // namespace tree

template <class T>
requires(!std::same_as<typename tree::FixedArray<T>::Element, T> &&
         ElementType<typename tree::FixedArray<T>::Element>) struct array_of<T> {
  static ArraySpan span(T& array) {
    std::vector<std::uint64_t> extents;
    tree::FixedArray<T>::append_extents(extents);
    return ArraySpan::contiguous(reinterpret_cast<std::byte*>(&array), dtype_of<typename tree::FixedArray<T>::Element>(),
                                 Shape(std::move(extents)));
  }
};

template <ElementType T>
struct array_of<std::span<T>> {
  static ArraySpan span(std::span<T>& array) {
    return ArraySpan::contiguous(reinterpret_cast<std::byte*>(array.data()), dtype_of<T>(), Shape{array.size()});
  }
};

template <ElementType T, class Allocator>
requires(!std::same_as<T, bool>) struct array_of<std::vector<T, Allocator>> {
  using Vector = std::vector<T, Allocator>;
  static ArraySpan span(Vector& array) {
    return ArraySpan::contiguous(reinterpret_cast<std::byte*>(array.data()), dtype_of<T>(), Shape{array.size()});
  }
  static void resize(Vector& array, const Shape& shape) {
    if (shape.rank() != 1)
      throw Error(ErrorKind::kMismatch, "shape " + shape.str() + " in the checkpoint, one axis in the template");
    array.resize(shape[0]);
  }
};

}  // namespace perdure
