#pragma once
// The part of a tree that a caller asks for by key paths and patterns. Pure: a structure in, a smaller one out.
#include <cstdint>
#include <string>
#include <vector>

#include "perdure/tree/structure.h"

namespace perdure::tree {

struct Selection {
  Structure structure;
  std::vector<std::uint32_t> leaves;  // for each of its leaves, the leaf of the whole tree
};

/// The part of a tree that some pattern names. A pattern is a dotted key path, and stands for everything at or below it; "*"
/// stands for any text within one key: "params.*.bias", "layers.1*". The order stays. A list or tuple of which
/// only a part is selected becomes a shorter one; a named tuple or record without all its fields becomes a mapping.
/// Throws kNotFound naming a pattern that selects nothing, kInvalid if there is no pattern.
Selection select(const Structure& structure, const std::vector<std::string>& patterns);

/// The whole tree.
Selection select_all(const Structure& structure);

}  // namespace perdure::tree
