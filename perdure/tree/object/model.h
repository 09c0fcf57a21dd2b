#pragma once
// From a C++ type to its ObjectType. To teach it a kind of types: a specialization of Model in one of the *_models.h.
#include <type_traits>

#include "perdure/tree/object/type.h"

namespace perdure::tree {

/// The ObjectType of T: specialized for everything that can be part of a state.
template <class T>
class Model;

template <class T>
const ObjectType& object_type() {
  static const Model<T> kModel;
  return kModel;
}

template <class T>
class ModelBase : public ObjectType {
 public:
  const std::type_info& id() const override { return typeid(T); }

 protected:
  ~ModelBase() = default;
  static T& object_at(void* address) { return *static_cast<T*>(address); }
  static const T& object_at(const void* address) { return *static_cast<const T*>(address); }
};

template <class T>
Slot slot_of(T& object) {
  static_assert(!std::is_const_v<T>, "a part of a state is const: it could not be restored");
  return {&object, &object_type<T>()};
}

}  // namespace perdure::tree
