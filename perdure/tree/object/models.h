#pragma once
// Every Model, and what the compiler says of a type that has none.
#include "perdure/tree/object/array_models.h"
#include "perdure/tree/object/container_models.h"
#include "perdure/tree/object/leaf_models.h"
#include "perdure/tree/object/record_model.h"
#include "perdure/tree/object/wrapper_models.h"

namespace perdure::tree {

template <class T>
inline constexpr bool kIsPartOfAState = false;

/// A type that nothing above knows.
template <class T>
class Model final : public ModelBase<T> {
  static_assert(
      !std::is_pointer_v<T>,
      "a field of a state is a plain pointer, which does not say who owns what: use unique_ptr, shared_ptr or reference_wrapper");
  static_assert(kIsPartOfAState<T>,
                "perdure::describe<T>() is missing for the type T of this Model<T>: see perdure/base/describe.h");
};

}  // namespace perdure::tree
