#include "perdure/checkpoint/verify/foreign_view.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "perdure/base/error.h"
#include "perdure/checkpoint/document/leaf_kind_table.h"
#include "perdure/checkpoint/document/leaf_kinds/handled.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/orbax/tree_metadata.h"
#include "perdure/checkpoint/orbax/value_type.h"
#include "perdure/checkpoint/read/plan_reader.h"
#include "perdure/storage/zarr/array.h"
#include "perdure/tree/names.h"

namespace perdure::checkpoint {
namespace {

using tree::DottedNames;

class ForeignView {
 public:
  ForeignView(const StoredTree& tree, const ListedDirectory& directory, const VerifyContext& context)
      : tree_(tree), directory_(directory), context_(context), names_(tree.structure()) {}

  void verify() {
    const TreeMetadata metadata = parse_tree_metadata(directory_.read(kTreeMetadataFile));
    for (std::size_t i = 0; i < names_.size(); ++i) index_.emplace(names_.name(i), i);
    for (const TreeMetadataEntry& entry : metadata.entries) guard(entry.name(), [&] { verify_entry(entry); });
    for (std::size_t i = 0; i < names_.size(); ++i) guard(std::string(names_.name(i)), [&] { verify_is_seen(i); });
    for (const std::string& name : storage::zarr::list_arrays(tree_.store())) guard(name, [&] { verify_has_leaf(name); });
  }

 private:
  template <class Body>
  void guard(const std::string& leaf, Body&& body) {
    context_.log.guard({.leaf = leaf}, body);
  }

  [[noreturn]] static void fail(const std::string& what) { throw Error(ErrorKind::kCorrupt, what); }

  const tree::Node& node(std::size_t index) const { return tree_.structure().nodes()[names_.position(index)]; }
  const DocumentLeaf& leaf(std::size_t index) const { return tree_.contents().document.leaves[node(index).leaf_index]; }

  void verify_entry(const TreeMetadataEntry& entry) {
    const auto found = index_.find(entry.name());
    if (found == index_.end()) fail("_METADATA has a key path that _PERDURE_TREE has not");
    if (!seen_.insert(found->second).second) fail("_METADATA has the key path twice");
    if (node(found->second).kind != NodeKind::kLeaf) {
      if (!entry.is_empty_value()) fail("_METADATA says '" + entry.value_type + "', perdure an empty container");
    } else if (std::holds_alternative<Scalar>(leaf(found->second))) {
      verify_scalar(entry, leaf(found->second));
    } else {
      verify_array(entry, std::get<StoredArrayRef>(leaf(found->second)));
    }
  }

  void verify_scalar(const TreeMetadataEntry& entry, const DocumentLeaf& leaf) {
    const StoredForm form = stored_form(leaf);
    if (entry.value_type != form.value_type) {
      fail("_METADATA says '" + entry.value_type + "', perdure '" + std::string(form.value_type) + "'");
    }
    if (form.text && string(entry.name()) != *form.text) fail("_strings.json has another text than _PERDURE_TREE");
    if (form.array_dtype) verify_element_bytes(entry.name(), form);
  }

  void verify_array(const TreeMetadataEntry& entry, const StoredArrayRef& ref) {
    const ValueType* type = find_value_type(entry.value_type);
    if (type == nullptr || type->value_class != ValueClass::kArray)
      fail("_METADATA says '" + entry.value_type + "', perdure an array");
    const auto array = storage::zarr::Array::open(tree_.store(), ref.name);
    if (entry.write_shape && entry.write_shape->rank() != array.metadata().shape.rank())
      fail("_METADATA has another rank than the array");
    if (ref.tied_to) verify_tie(array, tree_.planned(*ref.tied_to));
  }

  /// The names of one object lead to the same bytes.
  void verify_tie(const storage::zarr::Array& array, const ArrayToRead& source) {
    if (array.metadata().shape != source.metadata().shape || array.metadata().dtype != source.metadata().dtype) {
      fail("differs from the array that it is tied to");
    }
    const ReadPlan a = plan_read(tree_.store(), {source});
    const ReadPlan b = plan_read(tree_.store(), {ArrayToRead::whole(array)});
    if (a.chunks.size() != b.chunks.size()) fail("differs from the array that it is tied to");
    for (std::size_t i = 0; i < a.chunks.size(); ++i) {
      const storage::ValueLocation& x = a.chunks[i].location;
      const storage::ValueLocation& y = b.chunks[i].location;
      if (!x.file.empty() && x.file == y.file && x.offset == y.offset && x.size_bytes == y.size_bytes) continue;
      if (tree_.store().read(x).text() != tree_.store().read(y).text()) fail("differs from the array that it is tied to");
    }
  }

  void verify_is_seen(std::size_t index) {
    if (seen_.contains(index) || tree_.structure().nodes().size() == 1) return;
    fail("_PERDURE_TREE has a key path that _METADATA has not");
  }

  void verify_has_leaf(const std::string& name) {
    if (index_.contains(name) || index_.contains(name + "/") || is_of_handler(name)) return;  // see key_prefix
    fail("the store has an array that is no leaf");
  }

  /// A handler may keep arrays under the leaf's name and below.
  bool is_of_handler(std::string_view name) const {
    for (std::size_t end = 0; end != name.npos;) {
      end = name.find_first_of("./", end + 1);
      if (is_handled_leaf(name.substr(0, end))) return true;
    }
    return false;
  }

  bool is_handled_leaf(std::string_view prefix) const {
    const auto found = index_.find(prefix);
    if (found != index_.end() && is_handled(found->second)) return true;
    return prefix == part_prefix("") && is_handled_leaf("");
  }

  bool is_handled(std::size_t index) const { return node(index).kind == NodeKind::kLeaf && find_handled(leaf(index)) != nullptr; }

  /// The array that foreign readers see of a plain value.
  void verify_element_bytes(const std::string& name, const StoredForm& form) {
    const auto array = storage::zarr::Array::open(tree_.store(), name);
    const ByteView expected = form.array_bytes ? *form.array_bytes : ByteView(form.element).first(itemsize(*form.array_dtype));
    const Shape shape = form.array_bytes ? Shape{expected.size()} : Shape{};
    if (array.metadata().dtype != *form.array_dtype || array.metadata().shape != shape) {
      fail("the array of the value is " + std::string(perdure::name(array.metadata().dtype)) + " " +
           array.metadata().shape.str());
    }
    std::vector<std::byte> stored(expected.size());
    const ReadPlan plan = plan_read(tree_.store(), {ArrayToRead::whole(array)});
    ReadTarget target{.span = ArraySpan::contiguous(stored.data(), *form.array_dtype, shape)};
    read_chunks(plan, {&target, 1},
                {.store = &tree_.store(), .executor = &inline_executor(), .progress = nullptr, .verify = true});
    if (!std::ranges::equal(stored, expected)) fail("the array of the value has other bytes than _PERDURE_TREE");
  }

  const std::string& string(const std::string& name) {
    if (!strings_) strings_ = json::parse(directory_.read(kStringsFile));
    return strings_->as_object().at(name).as_string();
  }

  const StoredTree& tree_;
  const ListedDirectory& directory_;
  const VerifyContext& context_;
  const DottedNames names_;
  std::unordered_map<std::string_view, std::size_t> index_;  // of names_
  std::unordered_set<std::size_t> seen_;                     // named by _METADATA
  std::optional<json::Value> strings_;
};

}  // namespace

void verify_foreign_view(const StoredTree& tree, const ListedDirectory& directory, const VerifyContext& context) {
  ForeignView(tree, directory, context).verify();
}

}  // namespace perdure::checkpoint
