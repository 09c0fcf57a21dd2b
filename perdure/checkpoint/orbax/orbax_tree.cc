#include "perdure/checkpoint/orbax/orbax_tree.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "perdure/base/error.h"
#include "perdure/checkpoint/orbax/rich_tree.h"
#include "perdure/checkpoint/orbax/value_type.h"

namespace perdure::checkpoint {
namespace {

using Entry = TreeMetadataEntry;
constexpr std::uint32_t kNoEntry = ~std::uint32_t{0};

/// A node while the tree grows: the children are in a list of their own.
struct Sketch {
  std::string key;
  std::uint64_t position = 0;  // in a sequence
  std::optional<Entry::KeyType> child_type;
  std::uint32_t entry = kNoEntry;
  std::vector<std::uint32_t> children;
};

[[noreturn]] void fail(const Entry& entry, const std::string& what) {
  throw Error(ErrorKind::kCorrupt, "key path '" + entry.name() + "' in _METADATA " + what);
}

std::uint64_t sequence_position(const Entry& entry, const std::string& key) {
  std::uint64_t position = 0;
  const auto [end, status] = std::from_chars(key.data(), key.data() + key.size(), position);
  if (status != std::errc() || end != key.data() + key.size()) fail(entry, "has the sequence index '" + key + "'");
  return position;
}

/// Grows the tree one entry at a time. A child is found by its parent and its key.
class Grower {
 public:
  Grower() : sketches_(1) {}

  void add(const Entry& entry, std::uint32_t index) {
    std::uint32_t node = 0;
    for (const Entry::PathKey& key : entry.path) node = descend(entry, node, key);
    Sketch& leaf = sketches_[node];
    if (leaf.entry != kNoEntry) fail(entry, "occurs twice");
    if (leaf.child_type) fail(entry, "is a leaf and a container");
    leaf.entry = index;
  }

  std::vector<Sketch> take() { return std::move(sketches_); }

 private:
  std::uint32_t descend(const Entry& entry, std::uint32_t parent, const Entry::PathKey& key) {
    if (sketches_[parent].entry != kNoEntry) fail(entry, "is below a leaf");
    std::optional<Entry::KeyType>& type = sketches_[parent].child_type;
    if (type && *type != key.type) fail(entry, "is in a container of mixed key types");
    type = key.type;
    const auto [found, is_new] =
        by_key_.try_emplace(std::to_string(parent) + '/' + key.key, static_cast<std::uint32_t>(sketches_.size()));
    if (is_new) {
      const std::uint64_t position = key.type == Entry::KeyType::kSequence ? sequence_position(entry, key.key) : 0;
      sketches_[parent].children.push_back(found->second);
      sketches_.push_back({.key = key.key, .position = position, .child_type = {}, .children = {}});
    }
    return found->second;
  }

  std::vector<Sketch> sketches_;
  std::unordered_map<std::string, std::uint32_t> by_key_;
};

void sort_sequence(std::vector<Sketch>& sketches, Sketch& sequence, const TreeMetadata& metadata) {
  auto& children = sequence.children;
  std::sort(children.begin(), children.end(), [&](auto a, auto b) { return sketches[a].position < sketches[b].position; });
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (sketches[children[i]].position == i) continue;
    std::uint32_t below = children[i];  // any leaf below names the place
    while (sketches[below].entry == kNoEntry) below = sketches[below].children.front();
    fail(metadata.entries[sketches[below].entry], "is in a sequence that lacks index " + std::to_string(i));
  }
}

void append_node(OrbaxTree& tree, const Sketch& sketch, const TreeMetadata& metadata, Key key) {
  if (sketch.entry == kNoEntry) {
    const bool sequence = sketch.child_type == Entry::KeyType::kSequence;
    const std::size_t position = tree.structure.append(sequence ? NodeKind::kList : NodeKind::kMapping, std::move(key));
    tree.structure.set_child_count(position, static_cast<std::uint32_t>(sketch.children.size()));
    return;
  }
  append_entry(tree, metadata, sketch.entry, std::move(key));
}

}  // namespace

void append_entry(OrbaxTree& tree, const TreeMetadata& metadata, std::uint32_t entry, Key key) {
  const Entry& what = metadata.entries[entry];
  const ValueType* type = find_value_type(what.value_type);
  if (type != nullptr && type->value_class == ValueClass::kEmptyContainer) {
    tree.structure.append(type->container, std::move(key));
    return;
  }
  tree.structure.append(NodeKind::kLeaf, std::move(key));
  tree.entry_of_leaf.push_back(entry);
}

OrbaxTree build_orbax_tree(const TreeMetadata& metadata) {
  if (metadata.value_metadata_tree) return build_rich_tree(metadata);
  Grower grower;
  for (std::uint32_t i = 0; i < metadata.entries.size(); ++i) grower.add(metadata.entries[i], i);
  std::vector<Sketch> sketches = grower.take();
  OrbaxTree tree;
  struct Pending {
    std::uint32_t node;
    Key key;
  };
  std::vector<Pending> pending;
  pending.push_back({0, Key{None{}}});
  while (!pending.empty()) {
    Pending next = std::move(pending.back());
    pending.pop_back();
    Sketch& sketch = sketches[next.node];
    const bool sequence = sketch.child_type == Entry::KeyType::kSequence;
    if (sequence) sort_sequence(sketches, sketch, metadata);
    append_node(tree, sketch, metadata, std::move(next.key));
    for (std::size_t i = sketch.children.size(); i-- > 0;) {
      const std::uint32_t child = sketch.children[i];
      pending.push_back({child, sequence ? Key{static_cast<std::int64_t>(i)} : Key{Text{sketches[child].key}}});
    }
  }
  return tree;
}

}  // namespace perdure::checkpoint
