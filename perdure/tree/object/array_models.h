#pragma once
// Arrays: what array_of<T> knows (tree/array_of.h), and std::vector<bool>, whose elements have no addresses.
#include <memory>
#include <utility>

#include "perdure/tree/array_of.h"
#include "perdure/tree/object/fit.h"
#include "perdure/tree/object/model.h"

namespace perdure::tree {

LeafTemplate array_template(DType dtype, Shape shape);
/// The copy of `value`'s elements into `span`, which has their dtype and shape.
std::function<void()> copy_into(FittedArray value, ArraySpan span);

template <ArrayType T>
class Model<T> final : public ModelBase<T> {
 public:
  Leaf read(const void* leaf) const override { return Value::array(span_of(leaf).view()).as_leaf(); }

  LeafTemplate asked_for(const void* leaf) const override {
    ArraySpan span = span_of(leaf);
    LeafTemplate wanted = array_template(span.dtype, std::move(span.shape));
    wanted.any_shape = takes_any_shape(wanted.shape);
    return wanted;
  }

  std::optional<ArraySpan> memory(void* leaf) const override { return span_of(leaf); }

  Staged stage(void* leaf, const Leaf& value) const override {
    ArraySpan span = span_of(leaf);
    FittedArray fitted = fit_array(value, span.dtype);
    const bool lossy = fitted.lossy;
    if (takes_any_shape(span.shape)) return {resized(this->object_at(leaf), std::move(fitted)), lossy};
    check_shape(fitted.view.shape, span.shape);
    return {copy_into(std::move(fitted), std::move(span)), lossy};
  }

 private:
  static constexpr bool kResizable = std::default_initializable<T> && std::movable<T> && requires(T & array, const Shape& shape) {
    array_of<T>::resize(array, shape);
  };

  static ArraySpan span_of(const void* leaf) { return array_of<T>::span(const_cast<T&>(ModelBase<T>::object_at(leaf))); }
  static bool takes_any_shape(const Shape& shape) { return kResizable && shape.element_count() == 0; }

  static std::function<void()> resized(T& object, FittedArray value) {
    if constexpr (kResizable) {
      auto fresh = std::make_shared<T>();
      array_of<T>::resize(*fresh, value.view.shape);
      copy_into(std::move(value), array_of<T>::span(*fresh))();
      return [&object, fresh] { object = std::move(*fresh); };
    }
    return {};
  }
};

template <>
class Model<std::vector<bool>> final : public ModelBase<std::vector<bool>> {
 public:
  Leaf read(const void* leaf) const override;
  LeafTemplate asked_for(const void* leaf) const override;
  Staged stage(void* leaf, const Leaf& value) const override;
};

}  // namespace perdure::tree
