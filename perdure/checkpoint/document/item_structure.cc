#include "perdure/checkpoint/document/item_structure.h"

#include "perdure/base/error.h"
#include "perdure/checkpoint/document/leaf_kind_table.h"
#include "perdure/tree/names.h"

namespace perdure::checkpoint {
namespace {

constexpr std::uint8_t kTupleTag = 9;  // the other tags: leaf_kind_table.cc
constexpr char kTooDeep[] = "a tuple key is nested more than 64 deep";

using Tuple = std::shared_ptr<const KeyTuple>;

void encode_key(DocumentWriter& out, const Key& key, std::size_t depth = 0) {
  const auto encode = [&]<class T>(const T& value) {
    if constexpr (std::is_same_v<T, Tuple>) {
      if (depth == kKeyDepthMax) throw Error(ErrorKind::kInvalid, kTooDeep);
      out.u8(kTupleTag);
      out.varint(value->size());
      for (const Key& item : *value) encode_key(out, item, depth + 1);
    } else {
      encode_leaf(out, Scalar(value));
    }
  };
  std::visit(encode, key.value);
}

/// The plain value as a key.
Key key_of(Scalar&& scalar) {
  return std::visit(
      []<class T>(T&& value) -> Key {
        if constexpr (std::is_constructible_v<Key::Value, std::in_place_type_t<T>, T>) {
          return Key::Value(std::in_place_type<T>, std::move(value));
        } else {
          fail_document("a key that is no key in Python either");
        }
      },
      std::move(scalar));
}

Key decode_key(DocumentReader& in, std::size_t depth = 0) {
  const std::uint8_t tag = in.u8();
  if (tag != kTupleTag) {
    DocumentLeaf plain = decode_leaf(in, tag, "key");
    if (!std::holds_alternative<Scalar>(plain)) fail_document("a key that is an array");
    return key_of(std::get<Scalar>(std::move(plain)));
  }
  if (depth == kKeyDepthMax) fail_document(kTooDeep);
  auto items = std::make_shared<KeyTuple>(in.count());
  for (Key& item : *items) item = decode_key(in, depth + 1);
  return Key::Value(Tuple(std::move(items)));
}

NodeKind node_kind(std::uint8_t value) {
  if (value > static_cast<std::uint8_t>(NodeKind::kRecord)) fail_document("unknown node kind " + std::to_string(value));
  return static_cast<NodeKind>(value);
}

/// Preorder with child counts is a tree exactly if nodes never run out before the end, and are all used at the end.
void check_child_counts(const tree::Structure& structure) {
  std::uint64_t expected = 1;
  for (const tree::Node& node : structure.nodes()) {
    if (expected == 0) fail_document("nodes after the end of the tree");
    if (node.kind == NodeKind::kLeaf && node.child_count != 0) fail_document("a leaf with children");
    expected += node.child_count;
    --expected;
  }
  if (expected != 0) fail_document(std::to_string(expected) + " nodes are missing");
}

}  // namespace

void encode_structure(DocumentWriter& out, const tree::Structure& structure) {
  out.varint(structure.types().size() - 1);  // types()[0] is the plain one
  for (std::size_t i = 1; i < structure.types().size(); ++i) {
    out.text(structure.types()[i].module);
    out.text(structure.types()[i].qualname);
  }
  const auto& nodes = structure.nodes();
  out.varint(nodes.size());
  for (const tree::Node& node : nodes) out.u8(static_cast<std::uint8_t>(node.kind));
  for (const tree::Node& node : nodes) encode_key(out, node.key);
  for (const tree::Node& node : nodes) out.varint(node.child_count);
  for (const tree::Node& node : nodes) out.varint(node.type_index);
}

tree::Structure decode_structure(DocumentReader& in) {
  tree::Structure structure;
  const std::uint64_t type_count = in.count();
  for (std::uint64_t i = 1; i <= type_count; ++i) {
    std::string module = in.text();
    if (structure.add_type({std::move(module), in.text()}) != i) fail_document("a type is listed twice");
  }
  const std::uint64_t node_count = in.count();
  std::vector<NodeKind> kinds(node_count);
  for (NodeKind& kind : kinds) kind = node_kind(in.u8());
  std::vector<Key> keys(node_count);
  for (Key& key : keys) key = decode_key(in);
  std::vector<std::uint32_t> child_counts(node_count);
  for (std::uint32_t& count : child_counts) count = in.index(node_count, "child count");
  for (std::uint64_t i = 0; i < node_count; ++i) {
    structure.append(kinds[i], std::move(keys[i]), in.index(type_count + 1, "type"));
    structure.set_child_count(i, child_counts[i]);
  }
  check_child_counts(structure);
  if (const auto repeated = tree::find_repeated_key(structure))
    fail_document("the key path '" + tree::dotted_at(structure, *repeated) + "' is there twice");
  return structure;
}

}  // namespace perdure::checkpoint
