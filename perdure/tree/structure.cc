#include "perdure/tree/structure.h"

#include <algorithm>
#include <limits>

#include "perdure/base/error.h"
#include "perdure/tree/key_path.h"

namespace perdure::tree {
namespace {

constexpr std::size_t kTypesMax = 4096;  // they are looked up one by one

}  // namespace

std::size_t Structure::append(NodeKind kind, Key key, std::uint32_t type_index) {
  if (nodes_.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorKind::kInvalid, "a tree of more than 4294967295 nodes");
  }
  Node& node = nodes_.emplace_back(Node{kind, std::move(key), 0, 0, type_index});
  if (kind == NodeKind::kLeaf) node.leaf_index = leaf_count_++;
  return nodes_.size() - 1;
}

std::uint32_t Structure::add_type(TypeName type) {
  const auto found = std::find(types_.rbegin(), types_.rend(), type);  // the last one is the likely one
  if (found != types_.rend()) return static_cast<std::uint32_t>(types_.rend() - found - 1);
  if (types_.size() > kTypesMax) throw Error(ErrorKind::kInvalid, "a tree of more than 4096 types of containers");
  types_.push_back(std::move(type));
  return static_cast<std::uint32_t>(types_.size() - 1);
}

LeafPaths::LeafPaths(const Structure& structure) : structure_(structure) {}

bool LeafPaths::next() {
  const std::vector<Node>& nodes = structure_.nodes();
  if (!path_.empty()) path_.pop_back();  // where the last step ended
  while (!left_.empty() && left_.back() == 0) {
    left_.pop_back();
    if (!path_.empty()) path_.pop_back();
  }
  kept_ = path_.size();
  while (position_ < nodes.size()) {
    const Node& node = nodes[position_++];
    if (position_ > 1) {
      path_.push_back(&node);
      --left_.back();
    }
    if (node.child_count == 0) return true;
    left_.push_back(node.child_count);
  }
  return false;
}

const Node& LeafPaths::node() const { return structure_.nodes()[position_ - 1]; }

std::string dotted(const std::vector<const Node*>& path) {
  std::string text;
  for (const Node* node : path) append_key(text, node->key, NodeKind::kMapping, node == path.front(), PathStyle::kDotted);
  return text;
}

}  // namespace perdure::tree
