#pragma once
// Objects of the whole process that are never destroyed.
#include <utility>

namespace perdure {

/// For `static T& object = make_immortal<T>();`: saves in the background go on while a program's static objects are destroyed.
template <class T, class... Args>
T& make_immortal(Args&&... args) {
  return *new T(std::forward<Args>(args)...);
}

}  // namespace perdure
