#include "perdure/checkpoint/plan/save_plan.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "perdure/base/error.h"
#include "perdure/base/leaf_note.h"
#include "perdure/base/origin.h"
#include "perdure/base/utf8.h"
#include "perdure/checkpoint/document/leaf_kind_table.h"
#include "perdure/checkpoint/plan/check_item.h"
#include "perdure/checkpoint/plan/plan_array.h"
#include "perdure/checkpoint/plan/plan_values.h"
#include "perdure/storage/kvstore/key_text.h"
#include "perdure/storage/zarr/array.h"
#include "perdure/tree/names.h"

namespace perdure::checkpoint {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorKind::kInvalid, why); }

/// In a store, "w" and "w/" begin the same keys.
void check_slashes(const std::vector<PlannedArray>& arrays) {
  const auto ends_in_slash = [](const PlannedArray& array) { return array.name.ends_with('/'); };
  if (std::ranges::none_of(arrays, ends_in_slash)) return;
  std::unordered_set<std::string> prefixes;
  for (const PlannedArray& array : arrays) {
    const auto [prefix, is_new] = prefixes.insert(storage::zarr::key_prefix(array.name));
    if (!is_new) refuse("'" + prefix->substr(0, prefix->size() - 1) + "' and '" + *prefix + "' have one name in the store");
  }
}

/// By name of a part, the leaf that it belongs to. Texts and arrays have one space of names: that of the leaves.
std::unordered_map<std::string, std::uint32_t> part_owners(const HandlerOutput& handled) {
  std::unordered_map<std::string, std::uint32_t> owners;
  const auto add = [&](const std::string& name, std::uint32_t leaf_index) {
    if (!owners.emplace(name, leaf_index).second) refuse("leaf handlers have two parts '" + name + "'");
  };
  for (const HandledArray& array : handled.arrays) add(array.name, array.leaf_index);
  for (const NamedContent& text : handled.texts) add(text.name, text.leaf_index);
  return owners;
}

/// Fills a plan leaf by leaf, in the order of the tree.
class Planner {
 public:
  Planner(const NamedTree& item, const ArraySaveOptions& options, const HandlerOutput& handled)
      : item_(item), tree_(item.tree), options_(options), handled_(handled), part_owners_(part_owners(handled)) {
    plan_.metadata.entries.reserve(tree_.leaves.size());
    plan_.leaves.reserve(tree_.leaves.size());
    plan_.arrays.reserve(tree_.leaves.size());
  }

  SavePlan plan() {
    plan_.structure = &tree_.structure;
    plan_.metadata.use_ocdbt = options_.use_ocdbt;
    plan_.metadata.use_zarr3 = options_.use_zarr3;
    plan_.metadata.is_ours = true;
    const tree::DottedNames names(tree_.structure);
    tree::LeafPaths paths(tree_.structure);
    for (std::size_t i = 0; paths.next(); ++i) add(paths, std::string(names.name(i)));
    add_parts();
    check_slashes(plan_.arrays);
    plan_values(plan_, options_.use_ocdbt);
    return std::move(plan_);
  }

 private:
  void add(const tree::LeafPaths& paths, std::string name) {
    const tree::Node& node = paths.node();
    if (!is_utf8(name)) refuse("the key path " + storage::key_text(name) + " is not UTF-8");
    check_no_part(node, name);
    if (node.kind != NodeKind::kLeaf) {
      if (!paths.path().empty()) add_entry(paths, empty_value_type(node.kind));  // Orbax has no word for an empty tree
      return;
    }
    with_leaf_note(name, [&] {
      const Leaf& leaf = tree_.leaves[node.leaf_index];
      if (const auto* array = std::get_if<ArrayLeaf>(&leaf)) {
        add_array(paths, *array, name);
      } else {
        add_scalar(paths, std::get<Scalar>(leaf), name);
      }
    });
  }

  /// A part may be called as its leaf, not as another one.
  void check_no_part(const tree::Node& node, const std::string& name) const {
    const auto found = part_owners_.find(name);
    if (found == part_owners_.end() || (node.kind == NodeKind::kLeaf && node.leaf_index == found->second)) return;
    refuse("a leaf handler has a part '" + name + "', which is another leaf");
  }

  void add_parts() {
    for (std::size_t part = 0; part < handled_.arrays.size(); ++part) {
      const HandledArray& given = handled_.arrays[part];
      const ArrayLeaf& leaf = given.leaf;
      with_leaf_note(given.name, [&] {
        const ArraySaveOptions options = options_of(given.leaf_index, leaf);
        PlannedArray& array = plan_.arrays.emplace_back(plan_array(given.name, leaf.pieces, leaf.shape, leaf.dtype, options));
        array.leaf_index = given.leaf_index;
        array.part = part;
        array.is_immutable = leaf.immutable;
        array.priority = item_.transfer.priority(given.leaf_index);
      });
    }
    for (const NamedContent& text : handled_.texts) plan_.strings.emplace_back(text.name, text.content);
    for (const NamedContent& file : handled_.files) plan_.files.emplace_back(file.name, file.content);
  }

  TreeMetadataEntry& add_entry(const tree::LeafPaths& paths, std::string_view value_type) {
    TreeMetadataEntry& entry = plan_.metadata.entries.emplace_back();
    entry.value_type = value_type;
    entry.path.reserve(paths.path().size());
    NodeKind parent = tree_.structure.nodes()[0].kind;
    for (const tree::Node* node : paths.path()) {
      const auto* text = std::get_if<Text>(&node->key.value);
      entry.path.push_back({text ? text->utf8 : node->key.str(), has_positions(parent) ? TreeMetadataEntry::KeyType::kSequence
                                                                                       : TreeMetadataEntry::KeyType::kMapping});
      parent = node->kind;
    }
    return entry;
  }

  void add_array(const tree::LeafPaths& paths, const ArrayLeaf& leaf, std::string& name) {
    const ArraySaveOptions options = options_of(paths.node().leaf_index, leaf);
    PlannedArray array = plan_array(name, leaf.pieces, leaf.shape, leaf.dtype, options);
    array.leaf_index = paths.node().leaf_index;
    array.is_jax = is_jax_origin(leaf.origin);
    array.is_immutable = leaf.immutable;
    array.priority = item_.transfer.priority(array.leaf_index);
    array.sharding = leaf.sharding;
    const DocumentLeaf& stored = plan_.leaves.emplace_back(StoredArrayRef{name, leaf.origin, {}, {}});
    TreeMetadataEntry& entry = add_entry(paths, stored_form(stored).value_type);
    if (array.is_jax) entry.write_shape = array.metadata.chunk_shape;
    plan_.arrays.push_back(std::move(array));
  }

  void add_scalar(const tree::LeafPaths& paths, const Scalar& scalar, std::string& name) {
    const StoredForm form = stored_form(plan_.leaves.emplace_back(scalar));
    add_entry(paths, form.value_type);
    if (form.text) {
      if (!is_utf8(*form.text)) refuse("a text is not UTF-8");
      plan_.strings.emplace_back(name, *form.text);
    }
    if (!form.array_dtype) return;
    const Shape shape = form.array_bytes ? Shape{form.array_bytes->size()} : Shape{};
    const std::byte* data = form.array_bytes ? form.array_bytes->data() : plan_.scalar_bytes.emplace_back(form.element).data();
    plan_.scalar_pieces.push_back({Box::whole(shape), ArrayView::contiguous(data, *form.array_dtype, shape)});
    ArraySaveOptions options = default_options(shape.rank());
    options.dtype.reset();  // a number stays what it is
    PlannedArray array = plan_array(name, {&plan_.scalar_pieces.back(), 1}, shape, *form.array_dtype, options);
    array.is_immutable = true;
    array.leaf_index = paths.node().leaf_index;
    plan_.arrays.push_back(std::move(array));
  }

  /// Those of all arrays may name axes that this one has not, and a dtype for numbers where this one has none.
  ArraySaveOptions default_options(std::size_t rank) const {
    ArraySaveOptions options = options_;
    std::erase_if(options.shard_axes, [&](std::uint64_t axis) { return axis >= rank; });
    return options;
  }

  ArraySaveOptions options_of(std::uint32_t leaf_index, const ArrayLeaf& leaf) const {
    if (item_.leaf_options.empty() || !item_.leaf_options[leaf_index]) {
      ArraySaveOptions options = default_options(leaf.shape.rank());
      if (!holds_numbers(leaf.origin)) options.dtype.reset();
      return options;
    }
    ArraySaveOptions options = *item_.leaf_options[leaf_index];
    if (options.dtype && !holds_numbers(leaf.origin)) {
      refuse("a '" + leaf.origin + "' holds no numbers that can be stored as " + std::string(perdure::name(*options.dtype)));
    }
    options.use_ocdbt = options_.use_ocdbt;
    options.use_zarr3 = options_.use_zarr3;
    return options;
  }

  const NamedTree& item_;
  const tree::FlatTree& tree_;
  const ArraySaveOptions& options_;
  const HandlerOutput& handled_;
  const std::unordered_map<std::string, std::uint32_t> part_owners_;
  SavePlan plan_;
};

}  // namespace

SavePlan plan_save(const NamedTree& item, const ArraySaveOptions& options, const HandlerOutput& handled) {
  check_item(item);
  return Planner(item, options, handled).plan();
}

}  // namespace perdure::checkpoint
