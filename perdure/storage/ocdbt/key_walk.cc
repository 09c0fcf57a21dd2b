#include "perdure/storage/ocdbt/key_walk.h"

#include <algorithm>

#include "perdure/base/error.h"
#include "perdure/storage/kvstore/key_text.h"

namespace perdure::storage::ocdbt {
namespace {

// A tree of h heights whose nodes each refer twice to one child has 2^h keys in h small nodes.
constexpr std::uint64_t kListBytesMax = 1 << 30;
constexpr std::uint64_t kVisitsMax = 1 << 20;

NodeLocation child_location(const LoadedNode& parent, std::size_t index) {
  const DataRange& range = parent.node.children[index].node;
  return {parent.path(range.file), parent.transitive + std::string(parent.node.files.base_path(range.file)), range.offset,
          range.length, static_cast<std::uint8_t>(parent.node.height - 1)};
}

std::string_view subtree_prefix(const BtreeNode& node, std::size_t index) {
  return node.keys[index].substr(0, node.children[index].subtree_prefix_length);
}

/// The last child whose first key is not greater than `key`.
std::optional<std::size_t> child_index(const BtreeNode& node, std::string_view key) {
  const std::size_t index = lower_bound(node.keys, key);
  if (index < node.keys.size() && node.keys[index] == key) return index;
  if (index == 0) return std::nullopt;
  return index - 1;
}

/// Visits the nodes depth first, in the order of the keys.
class KeyWalk {
 public:
  KeyWalk(NodeStore& nodes, std::string_view wanted) : nodes_(nodes), wanted_(wanted) {}

  std::vector<std::string> run(const NodeLocation& root) {
    enter(root, "");
    while (!path_.empty()) {
      Step& step = path_.back();
      if (step.loaded->node.height > 0 && step.next < step.end) {
        take_child(step, step.next++);
      } else {
        take_keys(step);
        path_.pop_back();
      }
    }
    return std::move(keys_);
  }

 private:
  struct Step {
    std::shared_ptr<const LoadedNode> loaded;
    std::string prefix;
    std::size_t next = 0;  // of the rows that can have keys that are wanted
    std::size_t end = 0;
  };

  void enter(const NodeLocation& at, std::string prefix) {
    if (++visits_ > kVisitsMax) throw Error(ErrorKind::kCorrupt, "more than " + std::to_string(kVisitsMax) + " nodes");
    auto loaded = nodes_.load(at);
    const TextColumn& keys = loaded->node.keys;
    const std::string_view rest = wanted_.substr(std::min(prefix.size(), wanted_.size()));
    const std::size_t first = loaded->node.height == 0 ? lower_bound(keys, rest) : child_index(loaded->node, rest).value_or(0);
    std::size_t end = lower_bound(keys, rest);
    while (end < keys.size() && keys[end].starts_with(rest)) ++end;
    path_.push_back({std::move(loaded), std::move(prefix), first, end});
  }

  /// Whether a key that starts with `prefix` can start with what is wanted.
  bool may_match(std::string_view prefix) const {
    const std::size_t common = std::min(prefix.size(), wanted_.size());
    return prefix.substr(0, common) == wanted_.substr(0, common);
  }

  void take_child(const Step& step, std::size_t index) {
    const BtreeNode& node = step.loaded->node;
    std::string prefix = step.prefix + std::string(subtree_prefix(node, index));
    if (!may_match(prefix)) return;
    const NodeLocation at = child_location(*step.loaded, index);
    enter(at, std::move(prefix));  // `step` is gone
  }

  void take_keys(const Step& leaf) {
    for (std::size_t i = leaf.next; i < leaf.end; ++i) {
      std::string key = leaf.prefix;
      add(std::move(key.append(leaf.loaded->node.keys[i])));
    }
  }

  void add(std::string key) {
    if (!keys_.empty() && keys_.back() >= key) throw Error(ErrorKind::kCorrupt, "key " + key_text(key) + " is not in order");
    bytes_ += sizeof(std::string) + key.size();
    if (bytes_ > kListBytesMax) throw Error(ErrorKind::kCorrupt, "keys of more than " + std::to_string(kListBytesMax) + " bytes");
    keys_.push_back(std::move(key));
  }

  NodeStore& nodes_;
  const std::string_view wanted_;
  std::vector<Step> path_;
  std::vector<std::string> keys_;
  std::uint64_t bytes_ = 0;
  std::uint64_t visits_ = 0;
};

}  // namespace

std::optional<FoundEntry> find_entry(NodeStore& nodes, const NodeLocation& root, std::string_view key) {
  std::shared_ptr<const LoadedNode> loaded = nodes.load(root);
  while (loaded->node.height > 0) {
    const auto index = child_index(loaded->node, key);
    if (!index || !key.starts_with(subtree_prefix(loaded->node, *index))) return std::nullopt;
    key.remove_prefix(loaded->node.children[*index].subtree_prefix_length);
    loaded = nodes.load(child_location(*loaded, *index));
  }
  const auto index = find_key(loaded->node.keys, key);
  if (!index) return std::nullopt;
  return FoundEntry{std::move(loaded), *index};
}

std::vector<std::string> list_keys(NodeStore& nodes, const NodeLocation& root, std::string_view prefix) {
  return KeyWalk(nodes, prefix).run(root);
}

}  // namespace perdure::storage::ocdbt
