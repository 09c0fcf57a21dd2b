#include "perdure/checkpoint/orbax/rich_tree.h"

#include <algorithm>
#include <unordered_map>

#include "perdure/base/error.h"

namespace perdure::checkpoint {
namespace {

struct Pending {
  const json::Value* value;
  Key key;
  std::string name;  // key names from the root, joined with '.'
};

const std::string* find_text(const json::Value& value, std::string_view key) {
  const json::Value* member = value.is_object() ? value.as_object().find(key) : nullptr;
  return member != nullptr && member->is_string() ? &member->as_string() : nullptr;
}

std::string child_name(const Pending& parent, std::string_view key) {
  const bool is_root = std::holds_alternative<None>(parent.key.value);
  return is_root ? std::string(key) : parent.name + '.' + std::string(key);
}

/// Builds from the JSON document; leaves are matched with the entries by name.
class RichBuilder {
 public:
  explicit RichBuilder(const TreeMetadata& metadata) : metadata_(metadata) {
    for (std::uint32_t i = 0; i < metadata.entries.size(); ++i) unused_.emplace(metadata.entries[i].name(), i);
  }

  OrbaxTree build() {
    pending_.push_back({&*metadata_.value_metadata_tree, Key{None{}}, ""});
    while (!pending_.empty()) {
      const Pending next = std::move(pending_.back());
      pending_.pop_back();
      const std::size_t first_child = pending_.size();
      append(next);
      std::reverse(pending_.begin() + static_cast<std::ptrdiff_t>(first_child), pending_.end());
    }
    if (!unused_.empty()) {
      throw Error(ErrorKind::kCorrupt,
                  "key path '" + unused_.begin()->first + "' is in tree_metadata, but not in value_metadata_tree");
    }
    return std::move(tree_);
  }

 private:
  void append(const Pending& node) {
    const std::string* category = find_text(*node.value, "category");
    const std::string* type = find_text(*node.value, "clazz");
    if (node.value->is_array()) return append_sequence(node, NodeKind::kList, node.value->as_array());
    if (category == nullptr || type == nullptr) return append_mapping(node);
    if (*category == "namedtuple") return append_named_tuple(node, *type);
    if (*category == "custom" && *type == "tuple") return append_sequence(node, NodeKind::kTuple, entries(node).as_array());
    if (*category == "custom" && *type == "ValueMetadataEntry") return append_leaf(node);
    throw Error(ErrorKind::kCorrupt, "unknown class '" + *type + "' of '" + node.name + "' in value_metadata_tree");
  }

  static const json::Value& entries(const Pending& node) { return node.value->as_object().at("entries"); }

  void open(const Pending& node, NodeKind kind, std::size_t child_count, std::uint32_t type_index = 0) {
    const std::size_t position = tree_.structure.append(kind, node.key, type_index);
    tree_.structure.set_child_count(position, static_cast<std::uint32_t>(child_count));
  }

  void append_sequence(const Pending& node, NodeKind kind, const json::Array& items) {
    open(node, kind, items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      pending_.push_back({&items[i], Key{static_cast<std::int64_t>(i)}, child_name(node, std::to_string(i))});
    }
  }

  void append_mapping(const Pending& node) {
    const auto& members = node.value->as_object().members();
    open(node, NodeKind::kMapping, members.size());
    for (const auto& [key, value] : members) pending_.push_back({&value, Key{Text{key}}, child_name(node, key)});
  }

  void append_named_tuple(const Pending& node, const std::string& type) {
    const json::Array& fields = entries(node).as_array();
    open(node, NodeKind::kNamedTuple, fields.size(),
         tree_.structure.add_type({node.value->as_object().at("module").as_string(), type}));
    for (const json::Value& field : fields) {
      const std::string& key = field.as_object().at("key").as_string();
      pending_.push_back({&field.as_object().at("value"), Key{Text{key}}, child_name(node, key)});
    }
  }

  void append_leaf(const Pending& node) {
    const auto found = unused_.find(node.name);
    if (found == unused_.end()) {
      throw Error(ErrorKind::kCorrupt,
                  "key path '" + node.name + "' is in value_metadata_tree, but not (or not once) in tree_metadata");
    }
    append_entry(tree_, metadata_, found->second, node.key);
    unused_.erase(found);
  }

  const TreeMetadata& metadata_;
  std::unordered_map<std::string, std::uint32_t> unused_;  // entries by name that no leaf has claimed
  std::vector<Pending> pending_;
  OrbaxTree tree_;
};

}  // namespace

OrbaxTree build_rich_tree(const TreeMetadata& metadata) { return RichBuilder(metadata).build(); }

}  // namespace perdure::checkpoint
