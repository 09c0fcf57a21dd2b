#include "perdure/checkpoint/plan/check_item.h"

#include <algorithm>

#include "perdure/base/error.h"
#include "perdure/checkpoint/document/item_document.h"
#include "perdure/tree/names.h"

namespace perdure::checkpoint {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorKind::kInvalid, why); }

void check_leaf_counts(const NamedTree& item) {
  const std::size_t leaf_count = item.tree.leaves.size();
  if (!item.leaf_options.empty() && item.leaf_options.size() != leaf_count) {
    refuse(std::to_string(item.leaf_options.size()) + " leaf options for " + std::to_string(leaf_count) + " leaves");
  }
  if (leaf_count != item.tree.structure.leaf_count()) {
    refuse(std::to_string(item.tree.structure.leaf_count()) + " leaves in the structure, " + std::to_string(leaf_count) +
           " values");
  }
}

bool is_deeper(const Key& key, std::size_t levels) {
  const auto* tuple = std::get_if<std::shared_ptr<const KeyTuple>>(&key.value);
  if (!tuple) return false;
  return levels == 0 || std::ranges::any_of(**tuple, [&](const Key& item) { return is_deeper(item, levels - 1); });
}

void check_key_depths(const tree::Structure& structure) {
  const std::vector<tree::Node>& nodes = structure.nodes();
  const auto deep = std::ranges::find_if(nodes, [](const tree::Node& node) { return is_deeper(node.key, kKeyDepthMax); });
  if (deep == nodes.end()) return;
  with_note([&] { return "key path " + tree::dotted_at(structure, static_cast<std::size_t>(deep - nodes.begin())); },
            [] { refuse("a tuple key is nested more than " + std::to_string(kKeyDepthMax) + " deep"); });
}

void check_keys(const tree::Structure& structure) {
  if (const auto repeated = tree::find_repeated_key(structure))
    refuse("the key path '" + tree::dotted_at(structure, *repeated) + "' is there twice");
  tree::check_unique_names(structure);
}

}  // namespace

void check_item(const NamedTree& item) {
  check_leaf_counts(item);
  check_key_depths(item.tree.structure);
  check_keys(item.tree.structure);
}

}  // namespace perdure::checkpoint
