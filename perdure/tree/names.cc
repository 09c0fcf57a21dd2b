#include "perdure/tree/names.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "perdure/base/error.h"
#include "perdure/tree/key_path.h"

namespace perdure::tree {
namespace {

constexpr std::size_t kNameBytesMax = std::size_t{1} << 30;

bool is_plain_name(const Key& key) {
  const Text* text = std::get_if<Text>(&key.value);
  if (text == nullptr || text->utf8.empty() || (text->utf8[0] >= '0' && text->utf8[0] <= '9')) return false;
  return std::all_of(text->utf8.begin(), text->utf8.end(), [](unsigned char c) {
    return c >= 0x80 || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

/// Nodes from below the root to the one at `position`.
std::vector<const Node*> path_to(const Structure& structure, std::size_t position) {
  const Node* target = &structure.nodes().at(position);
  LeafPaths paths(structure);
  while (paths.next()) {
    if (&paths.node() < target) continue;  // the first one that is not before the target lies in it
    std::vector<const Node*> path = paths.path();
    const auto found = std::find(path.begin(), path.end(), target);
    path.erase(found == path.end() ? path.begin() : found + 1, path.end());
    return path;
  }
  return {};
}

struct Child {
  std::size_t parent;
  const Key* key;
  bool operator==(const Child& other) const { return parent == other.parent && *key == *other.key; }
};

struct ChildHash {
  std::size_t operator()(const Child& child) const {
    const auto* text = std::get_if<Text>(&child.key->value);
    const std::size_t hash = text ? std::hash<std::string>()(text->utf8) : std::hash<std::string>()(child.key->repr());
    return hash ^ (child.parent * 0x9e3779b97f4a7c15);
  }
};

}  // namespace

bool DottedPaths::next() {
  if (!paths_.next()) return false;
  ends_.resize(paths_.kept());
  name_.resize(ends_.empty() ? 0 : ends_.back());
  for (std::size_t i = ends_.size(); i < paths_.path().size(); ++i) {
    append_key(name_, paths_.path()[i]->key, NodeKind::kMapping, i == 0, PathStyle::kDotted);
    ends_.push_back(name_.size());
  }
  return true;
}

DottedNames::DottedNames(const Structure& structure) {
  DottedPaths paths(structure);
  while (paths.next()) {
    const std::string_view name = paths.name();
    if (name.size() > kNameBytesMax - text_.size()) {
      throw Error(ErrorKind::kInvalid, "the key paths of this tree are longer than 1 GiB together");
    }
    entries_.push_back({text_.size(), static_cast<std::uint32_t>(name.size()),
                        static_cast<std::uint32_t>(&paths.node() - structure.nodes().data())});
    text_ += name;
  }
}

std::vector<std::string> leaf_names(const Structure& structure) {
  const DottedNames names(structure);
  std::vector<std::string> result;
  result.reserve(structure.leaf_count());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (structure.nodes()[names.position(i)].kind == NodeKind::kLeaf) result.emplace_back(names.name(i));
  }
  return result;
}

std::string dotted_at(const Structure& structure, std::size_t position) { return dotted(path_to(structure, position)); }

std::string spelled_at(const Structure& structure, std::size_t position) {
  std::string text;
  for (const Node* node : path_to(structure, position)) {
    if (is_plain_name(node->key)) {
      append_key(text, node->key, NodeKind::kMapping, text.empty(), PathStyle::kDotted);
    } else {
      text += "[" + node->key.repr() + "]";
    }
  }
  return text;
}

std::optional<std::size_t> find_repeated_key(const Structure& structure) {
  struct Open {
    std::size_t node;
    std::uint32_t missing_children;
  };
  const std::vector<Node>& nodes = structure.nodes();
  std::unordered_set<Child, ChildHash> seen;
  seen.reserve(nodes.size());
  std::vector<Open> ancestors;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    while (!ancestors.empty() && ancestors.back().missing_children == 0) ancestors.pop_back();
    if (!ancestors.empty()) {
      Open& parent = ancestors.back();
      --parent.missing_children;
      if (!has_positions(nodes[parent.node].kind) && !seen.insert({parent.node, &nodes[i].key}).second) return i;
    }
    ancestors.push_back({i, nodes[i].child_count});
  }
  return std::nullopt;
}

void check_unique_names(const Structure& structure) {
  const DottedNames names(structure);
  std::unordered_map<std::string_view, std::size_t> seen;
  seen.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [earlier, is_new] = seen.emplace(names.name(i), i);
    if (is_new) continue;
    throw Error(ErrorKind::kInvalid, "two key paths have one name '" + std::string(names.name(i)) +
                                         "': " + spelled_at(structure, names.position(earlier->second)) + " and " +
                                         spelled_at(structure, names.position(i)));
  }
}

}  // namespace perdure::tree
