#pragma once
// A leaf: what stands at one key path of a training state.
//
// An array leaf is always "a global shape and the boxes that this process holds", also when it holds them all.
// Plain values carry what Python's own types can hold, bit for bit.
#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <typeinfo>
#include <variant>
#include <vector>

#include "perdure/base/array_view.h"
#include "perdure/base/bytes.h"

namespace perdure {

/// A piece of an array that lies in this process's memory. view.shape == box.extent.
struct ArrayPiece {
  Box box;
  ArrayView view;
};

struct ArrayLeaf {
  DType dtype = DType::kUint8;
  Shape shape;
  std::vector<ArrayPiece> pieces;     // together they cover the array (one process) without overlap
  std::shared_ptr<const void> owner;  // keeps the memory of all pieces alive
  bool immutable = false;             // nobody may change the memory while the owner lives (JAX)
  /// What the array was before it was bytes, so that it comes back as that: "numpy", "torch.Parameter", "jax.key:threefry2x32"
  /// (origin.h); empty: plain array.
  std::string origin;
  /// Where an array of JAX lay, as Orbax's `_sharding` says it (JSON); empty: nobody knows.
  std::string sharding = {};
};

/// An integer of any size, in decimal: "-170141183460469231731687303715884105728".
struct BigInt {
  std::string digits;
  bool operator==(const BigInt&) const = default;
};

/// Text as UTF-8, lone surrogates encoded as three bytes each (WTF-8).
struct Text {
  std::string utf8;
  bool operator==(const Text&) const = default;
};

struct None {
  bool operator==(const None&) const = default;
};

/// Stands for a value that a leaf handler of its own keeps, in files of the item: what the handler calls such values.
struct Handled {
  std::string typestr;
  std::shared_ptr<const void> object = {};  // the value, in a C++ program that has the handler
  const std::type_info* type = nullptr;     // of the object

  /// The object, if there is one and it is a T.
  template <class T>
  const T* as() const {
    return type != nullptr && *type == typeid(T) ? static_cast<const T*>(object.get()) : nullptr;
  }
  bool operator==(const Handled&) const = default;
};

/// A value small enough to be kept in metadata.
using Scalar = std::variant<None, bool, std::int64_t, BigInt, double, std::complex<double>, Text, Blob, Handled>;

using Leaf = std::variant<Scalar, ArrayLeaf>;

/// What a leaf says of its handler; nullptr if it is none of a handler. For a Leaf, and whatever else is a Scalar or an array.
inline const Handled* find_handled(const Scalar& scalar) { return std::get_if<Handled>(&scalar); }
template <class Array>
const Handled* find_handled(const std::variant<Scalar, Array>& leaf) {
  const auto* scalar = std::get_if<Scalar>(&leaf);
  return scalar == nullptr ? nullptr : find_handled(*scalar);
}

}  // namespace perdure
