#include <cstring>
#include <unordered_map>
#include <unordered_set>

#include "perdure/base/error.h"
#include "perdure/checkpoint/chunk_reader.h"
#include "perdure/checkpoint/layout.h"
#include "perdure/checkpoint/orbax_metadata.h"
#include "perdure/checkpoint/stored_scalar.h"
#include "perdure/checkpoint/value_type.h"
#include "perdure/checkpoint/verify_tree.h"
#include "perdure/storage/zarr/array.h"
#include "perdure/tree/names.h"

namespace perdure::checkpoint {
namespace {

using tree::DottedNames;

/// What `_METADATA` must say of a value; empty where Orbax cannot hold it.
std::string_view expected_value_type(const Scalar& scalar) {
  if (std::holds_alternative<None>(scalar)) return "None";
  if (std::holds_alternative<Text>(scalar)) return "string";
  const bool is_number = std::holds_alternative<bool>(scalar) || std::holds_alternative<std::int64_t>(scalar) || std::holds_alternative<double>(scalar);
  return is_number ? "scalar" : "";
}

bool same_bits(const Scalar& a, const Scalar& b) {
  const auto* x = std::get_if<double>(&a);
  const auto* y = std::get_if<double>(&b);
  if (x != nullptr && y != nullptr) return std::memcmp(x, y, sizeof(double)) == 0;
  if (const auto* flag = std::get_if<bool>(&a)) return std::holds_alternative<bool>(b) && *flag == std::get<bool>(b);
  const auto* i = std::get_if<std::int64_t>(&a);
  return i != nullptr && std::holds_alternative<std::int64_t>(b) && *i == std::get<std::int64_t>(b);
}

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
    } else if (const auto* scalar = std::get_if<Scalar>(&leaf(found->second))) {
      verify_scalar(entry, *scalar);
    } else {
      verify_array(entry, std::get<StoredArrayRef>(leaf(found->second)));
    }
  }

  void verify_scalar(const TreeMetadataEntry& entry, const Scalar& scalar) {
    const std::string_view expected = expected_value_type(scalar);
    if (expected.empty()) return;
    if (entry.value_type != expected) fail("_METADATA says '" + entry.value_type + "', perdure '" + std::string(expected) + "'");
    if (expected == "string" && string(entry.name()) != std::get<Text>(scalar).utf8) fail("_strings.json has another text than _PERDURE_TREE");
    if (expected == "scalar" && !same_bits(scalar, number(entry.name()))) fail("the array of the number has another value than _PERDURE_TREE");
  }

  void verify_array(const TreeMetadataEntry& entry, const StoredArrayRef& ref) {
    const ValueType* type = find_value_type(entry.value_type);
    if (type == nullptr || type->value_class != ValueClass::kArray) fail("_METADATA says '" + entry.value_type + "', perdure an array");
    const auto array = storage::zarr::Array::open(tree_.store(), ref.name);
    if (entry.write_shape && entry.write_shape->rank() != array.metadata().shape.rank()) fail("_METADATA has another rank than the array");
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
    const auto* scalar = node(index).kind == NodeKind::kLeaf ? std::get_if<Scalar>(&leaf(index)) : nullptr;
    if (scalar == nullptr || !expected_value_type(*scalar).empty()) fail("_PERDURE_TREE has a key path that _METADATA has not");
  }

  void verify_has_leaf(const std::string& name) {
    if (!index_.contains(name) && !index_.contains(name + "/")) fail("the store has an array that is no leaf");  // see key_prefix
  }

  Scalar number(const std::string& name) {
    const auto array = storage::zarr::Array::open(tree_.store(), name);
    if (array.metadata().shape.rank() != 0) fail("the array of the number has the shape " + array.metadata().shape.str());
    const ReadPlan plan = plan_read(tree_.store(), {ArrayToRead::whole(array)});
    alignas(16) std::byte element[16];
    ReadTarget target{.span = ArraySpan::contiguous(element, array.metadata().dtype, {})};
    read_chunks(plan, {&target, 1}, {.store = &tree_.store(), .executor = &inline_executor(), .progress = nullptr, .verify = true});
    return scalar_from_array(target.span.view());
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
