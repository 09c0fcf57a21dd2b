#pragma once
// The described types that objects behind a pointer to a base may have: what typeid names, found again.
#include <shared_mutex>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>

#include "perdure/base/describe.h"
#include "perdure/tree/object/model.h"

namespace perdure::tree {

/// Any thread may call any member.
class ObjectTypes {
 public:
  void add(const ObjectType& type);
  const ObjectType* find(const std::type_info& id) const;

  /// The whole object that `object` is part of, and its type. Throws kInputType for one that was not added.
  template <class T>
  Slot dynamic_slot(T& object) const {
    static_assert(!std::is_const_v<T>, "a part of a state is const: it could not be restored");
    if constexpr (std::is_polymorphic_v<T>) {
      const std::type_info& id = typeid(object);
      void* const whole = dynamic_cast<void*>(&object);
      if constexpr (Described<T>) {
        if (id == typeid(T)) return {whole, &object_type<T>()};
      }
      return {whole, &get(id)};
    } else {
      return slot_of(object);
    }
  }

 private:
  const ObjectType& get(const std::type_info& id) const;

  mutable std::shared_mutex mutex_;
  std::unordered_map<std::type_index, const ObjectType*> types_;  // guarded by mutex_
};

}  // namespace perdure::tree
