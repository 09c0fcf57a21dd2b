#pragma once
// The one traversal: from an object to everything in it. Nothing else in the code base walks objects.
//
// A Visitor says what a walk is for: flatten.h builds a structure, state_dict.h a flat dict, or a template's twin. Which kinds are
// leaves is the reader's answer. Nothing recurses: 100,000 levels work, cycles are found.
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "perdure/base/error.h"
#include "perdure/base/object.h"
#include "perdure/tree/key_path.h"

namespace perdure::tree {

class Visitor {
 public:
  virtual ~Visitor() = default;
  /// A leaf; the key may be moved from. Returns what stands in its place when its container is left.
  virtual ObjectRef leaf(Child& child, const std::string& path) = 0;
  /// A container, before its children; the key may be moved from.
  virtual void enter(Child& child, NodeKind kind) = 0;
  /// The same container with its `children`, each replaced by what its own visit returned. Returns what stands in its place.
  virtual ObjectRef leave(ObjectRef container, NodeKind kind, std::span<const Child> children, const std::string& path) = 0;
};

/// Returns what stands in the place of the root. A kind is asked for when the object's turn has come. Throws kInputType naming
/// the key path for a cycle, beyond 1,000,000 levels, and for what the reader refuses.
ObjectRef walk(ObjectReader& reader, ObjectRef root, PathStyle style, Visitor& visitor);

/// Runs `body`; an error about the leaf (not of the system) that leaves it gets " at 'KEY PATH'" at the end of its message.
template <class MakePath, class Body>
decltype(auto) at_key_path(MakePath&& make_path, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const Error& error) {
    const ErrorKind kind = error.kind();
    if (kind != ErrorKind::kInputType && kind != ErrorKind::kInvalid && kind != ErrorKind::kMismatch) throw;
    const std::string path = make_path();
    Error placed(kind, path.empty() ? error.message() : error.message() + " at '" + path + "'");
    for (const std::string& note : error.notes()) placed.add_note(note);
    throw placed;
  }
}

}  // namespace perdure::tree
