#include "perdure/tree/graft.h"

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "perdure/tree/names.h"

namespace perdure::tree {
namespace {

/// Positions in a structure by dotted key path, of those paths that are wanted.
class NodeFinder {
 public:
  explicit NodeFinder(std::unordered_set<std::string> wanted) : wanted_(std::move(wanted)) {
    for (const std::string& name : wanted_) sizes_.insert(name.size());
  }

  std::unordered_map<std::string, std::uint32_t> find_in(const Structure& structure) && {
    look_at("", 0);
    DottedPaths paths(structure);
    while (paths.next()) {
      paths.for_each_new([&](const Node& node, std::string_view name) { look_at(name, &node - structure.nodes().data()); });
    }
    return std::move(found_);
  }

 private:
  // Sizes first: hashing every prefix of a path of 100,000 keys would be quadratic.
  void look_at(std::string_view name, std::ptrdiff_t position) {
    if (!sizes_.contains(name.size())) return;
    if (const auto found = wanted_.find(std::string(name)); found != wanted_.end())
      found_.emplace(*found, static_cast<std::uint32_t>(position));
  }

  std::unordered_set<std::string> wanted_;
  std::unordered_set<std::size_t> sizes_;
  std::unordered_map<std::string, std::uint32_t> found_;
};

class Grafter {
 public:
  Grafter(const FlatObjects& target, const Structure& stored) : target_(target), stored_(stored) {}

  void copy_node(std::size_t position) {
    const Node& node = target_.structure.nodes()[position];
    append(node.kind, node.key, target_.structure.types()[node.type_index], node.child_count, target_.objects[position]);
  }

  /// A mapping in place of the template's leaf.
  void graft_node(std::size_t position, const std::uint32_t* stored_position) {
    const Key& key = target_.structure.nodes()[position].key;
    const ObjectRef object = target_.objects[position];
    const Node* const root = stored_position == nullptr ? nullptr : &stored_.nodes()[*stored_position];
    if (root != nullptr && root->kind == NodeKind::kLeaf) {
      append(NodeKind::kMapping, key, {}, 1, object);
      append(NodeKind::kLeaf, "", {}, 0, nullptr);
      return;
    }
    append(NodeKind::kMapping, key, {}, root == nullptr ? 0 : root->child_count, object);
    if (root != nullptr) copy_below(*stored_position);
  }

  FlatObjects result() && { return std::move(result_); }

 private:
  void copy_below(std::size_t root) {
    std::size_t left = stored_.nodes()[root].child_count;  // nodes still to come
    for (std::size_t position = root + 1; left > 0; ++position) {
      const Node& node = stored_.nodes()[position];
      append(node.kind, node.key, stored_.types()[node.type_index], node.child_count, nullptr);
      left += node.child_count;
      --left;
    }
  }

  void append(NodeKind kind, const Key& key, const TypeName& type, std::uint32_t child_count, ObjectRef object) {
    const std::size_t at = result_.structure.append(kind, key, result_.structure.add_type(type));
    result_.structure.set_child_count(at, child_count);
    if (kind == NodeKind::kLeaf) result_.leaf_positions.push_back(static_cast<std::uint32_t>(at));
    result_.objects.push_back(object);
  }

  const FlatObjects& target_;
  const Structure& stored_;
  FlatObjects result_;
};

}  // namespace

FlatObjects graft(const FlatObjects& target, const Structure& stored, const std::vector<bool>& is_graft) {
  const std::vector<std::string> names = leaf_names(target.structure);
  std::unordered_set<std::string> wanted;
  for (std::size_t leaf = 0; leaf < names.size(); ++leaf) {
    if (is_graft[leaf]) wanted.insert(names[leaf]);
  }
  const auto found = NodeFinder(std::move(wanted)).find_in(stored);
  Grafter grafter(target, stored);
  for (std::size_t position = 0; position < target.structure.nodes().size(); ++position) {
    const Node& node = target.structure.nodes()[position];
    if (node.kind != NodeKind::kLeaf || !is_graft[node.leaf_index]) {
      grafter.copy_node(position);
      continue;
    }
    const auto at = found.find(names[node.leaf_index]);
    grafter.graft_node(position, at == found.end() ? nullptr : &at->second);
  }
  return std::move(grafter).result();
}

}  // namespace perdure::tree
