#pragma once
// How key paths are spelled: the two grammars, in one function.
#include <cstdint>
#include <string>
#include <string_view>

#include "perdure/base/object.h"

namespace perdure::tree {

enum class PathStyle : std::uint8_t {
  kDotted,     // "layers.0.w": storage names, and the key paths of save and load
  kBracketed,  // "layers[0].w": keys of the flat dict of tree/state_dict.h
};

/// Appends the key of a child of a `parent`; `is_first`: the parent is the root. A mapping key or field name is text whatever it
/// holds: "a.b", "[0]". kBracketed has no dot behind an empty path.
void append_key(std::string& path, const Key& key, NodeKind parent, bool is_first, PathStyle style);

/// A serializer's key below its slot: "" is the slot itself, and "[0].x" follows without a dot.
std::string join_relative(std::string_view slot, std::string_view relative);

}  // namespace perdure::tree
