#pragma once
// What the leaf handlers of a program hand over for the leaves of one item (checkpoint/leaf_handler.h).
#include <cstdint>
#include <string>
#include <vector>

#include "perdure/base/leaf.h"
#include "perdure/checkpoint/leaf_handler_registry.h"
#include "perdure/tree/structure.h"

namespace perdure::checkpoint {

struct HandledArray {
  std::uint32_t leaf_index = 0;
  std::string name;  // storage name: that of the leaf, and more
  ArrayLeaf leaf;
};
struct NamedContent {  // a text, or a file
  std::uint32_t leaf_index = 0;
  std::string name;
  std::string content;
};

struct HandlerOutput {
  std::vector<HandledArray> arrays;
  std::vector<NamedContent> texts;
  std::vector<NamedContent> files;  // names relative to the item
};

/// Lets the handlers serialize the objects among the leaves, of which only the typestr stays in the tree. Throws kNoHandler for an object
/// that none takes, kInputType for a Handled without object, what a handler throws, each with the key path; kInvalid for a file that it
/// must not write.
HandlerOutput serialize_handled(tree::FlatTree& tree, const LeafHandlerRegistry& handlers);

}  // namespace perdure::checkpoint
