#pragma once
// The note of errors about a leaf: "leaf params.w", by its key path or storage name.
#include <string>
#include <utility>

#include "perdure/base/error.h"

namespace perdure {

/// with_note for what is done for the leaf of this name.
template <class Body>
decltype(auto) with_leaf_note(const std::string& name, Body&& body) {
  return with_note([&] { return "leaf " + name; }, std::forward<Body>(body));
}

}  // namespace perdure
