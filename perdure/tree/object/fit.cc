#include "perdure/tree/object/fit.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <string>
#include <vector>

#include "perdure/base/cast.h"
#include "perdure/base/error.h"

namespace perdure::tree {
namespace {

[[noreturn]] void refuse(std::string_view found, std::string_view wanted) {
  throw Error(ErrorKind::kMismatch, std::string(found) + " in the checkpoint, " + std::string(wanted) + " in the template");
}

FittedArray new_array(DType dtype, const Shape& shape, const std::function<void(const ArraySpan&)>& fill) {
  auto memory = std::make_shared<std::vector<std::byte>>(checked_multiply(shape.element_count(), itemsize(dtype)));
  const ArraySpan span = ArraySpan::contiguous(memory->data(), dtype, shape);
  fill(span);
  return {span.view(), std::move(memory)};
}

/// An array of its own memory, whatever pieces it was in.
FittedArray gathered(const ArrayLeaf& array) {
  if (array.pieces.empty()) throw Error(ErrorKind::kInputType, "an array without data");
  return new_array(array.dtype, array.shape, [&](const ArraySpan& target) {
    for (const ArrayPiece& piece : array.pieces) copy_array(piece.view, target.sub(piece.box));
  });
}

FittedArray in_one_piece(const ArrayLeaf& array) {
  if (array.pieces.empty()) refuse("an array without data", "an array");
  if (array.pieces.size() == 1) return {array.pieces[0].view, array.owner};
  return gathered(array);
}

template <class T>
T integer_within(const Leaf& value, T min, T max, bool& lossy) {
  const Scalar scalar = fit_scalar(value, ScalarKind::kInt, lossy);
  T number{};
  std::string digits;
  if (const auto* plain = std::get_if<std::int64_t>(&scalar)) {
    if (std::cmp_greater_equal(*plain, min) && std::cmp_less_equal(*plain, max)) return static_cast<T>(*plain);
    digits = std::to_string(*plain);
  } else {
    digits = std::get<BigInt>(scalar).digits;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size() && number <= max) return number;
  }
  throw Error(ErrorKind::kMismatch,
              digits + " in the checkpoint is not within [" + std::to_string(min) + ", " + std::to_string(max) + "]");
}

}  // namespace

Scalar fit_scalar(const Leaf& value, ScalarKind kind, bool& lossy) {
  Scalar stored;
  if (const auto* array = std::get_if<ArrayLeaf>(&value)) {
    if (array->shape.rank() != 0) refuse("an array of shape " + array->shape.str(), name(kind));
    stored = scalar_of(in_one_piece(*array).view);
  } else {
    stored = std::get<Scalar>(value);
  }
  std::optional<ConvertedScalar> converted = convert(stored, kind);
  if (!converted) refuse(name(kind_of(stored)), name(kind));
  lossy |= converted->changed;
  return std::move(converted->value);
}

std::int64_t fit_signed(const Leaf& value, std::int64_t min, std::int64_t max, bool& lossy) {
  return integer_within(value, min, max, lossy);
}

std::uint64_t fit_unsigned(const Leaf& value, std::uint64_t max, bool& lossy) {
  return integer_within(value, std::uint64_t{0}, max, lossy);
}

FittedArray fit_array(const Leaf& value, DType dtype) {
  FittedArray stored;
  std::optional<Element> element;
  if (const auto* array = std::get_if<ArrayLeaf>(&value)) {
    stored = in_one_piece(*array);
  } else {
    const Scalar& scalar = std::get<Scalar>(value);
    element = element_of(scalar);
    if (!element) refuse(name(kind_of(scalar)), "an array");
    stored.view = element->view();
  }
  if (stored.view.dtype == dtype && !element) return stored;
  CastReport report;
  FittedArray fitted =
      new_array(dtype, stored.view.shape, [&](const ArraySpan& target) { report = cast_array(stored.view, target); });
  fitted.lossy = report.any();
  return fitted;
}

void check_shape(const Shape& stored, const Shape& wanted) {
  if (stored != wanted) refuse("shape " + stored.str(), wanted.str());
}

bool is_none(const Leaf& value) {
  const auto* scalar = std::get_if<Scalar>(&value);
  return scalar != nullptr && std::holds_alternative<None>(*scalar);
}

bool fits_as_it_is(const LeafTemplate& wanted, const Leaf& value) {
  if (const auto* array = std::get_if<ArrayLeaf>(&value)) {
    return wanted.kind == LeafTemplate::Kind::kArray && wanted.dtype == array->dtype &&
           wanted.shape.rank() == array->shape.rank();
  }
  return wanted.kind == LeafTemplate::Kind::kScalar && wanted.scalar_kind == kind_of(std::get<Scalar>(value));
}

bool is_same(const Leaf& a, const Leaf& b) {
  const auto *left = std::get_if<ArrayLeaf>(&a), *right = std::get_if<ArrayLeaf>(&b);
  if (left != nullptr && right != nullptr) {
    if (left->dtype != right->dtype || left->shape != right->shape) return false;
    const FittedArray one = gathered(*left), other = gathered(*right);
    return std::ranges::equal(one.view.bytes(), other.view.bytes());
  }
  if (left != nullptr || right != nullptr) return false;
  return perdure::is_same(std::get<Scalar>(a), std::get<Scalar>(b));
}

ArrayLeaf copy_of(const ArrayLeaf& array) {
  FittedArray copy = gathered(array);
  ArrayLeaf leaf = array;
  leaf.pieces.assign(1, ArrayPiece{Box::whole(array.shape), std::move(copy.view)});
  leaf.owner = std::move(copy.owner);
  leaf.immutable = true;
  return leaf;
}

}  // namespace perdure::tree
