#pragma once
// Nodes of the B+tree: leaves map keys to values, interior nodes map first keys to children.
//
// Keys are relative to the node's prefix, which only the path from the root knows. A leaf can hold hundreds of thousands of
// entries, so it is kept in a few flat arrays, and values inline stay where the body holds them.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/base/byte_io.h"
#include "perdure/base/bytes.h"
#include "perdure/storage/ocdbt/columns.h"
#include "perdure/storage/ocdbt/data_file_table.h"
#include "perdure/storage/ocdbt/text_column.h"
#include "perdure/storage/ocdbt/version_tree.h"

namespace perdure::storage::ocdbt {

enum ValueKind : std::uint64_t { kInlineValue = 0, kOutOfLineValue = 1 };
inline constexpr std::uint64_t kInlineValueBytesMax = 1 << 20;

struct LeafEntry {
  std::uint64_t size_bytes = 0;
  std::uint64_t kind = kInlineValue;
  std::uint64_t file = 0;    // out of line
  std::uint64_t offset = 0;  // in the file; of a value inline, in `inline_values`
  bool operator==(const LeafEntry&) const = default;
};

struct NodeChild {
  std::uint64_t subtree_prefix_length = 0;  // bytes of its key that all keys below share
  DataRange node;
  Statistics statistics;
  bool operator==(const NodeChild&) const = default;
};

struct BtreeNode {
  std::uint8_t height = 0;
  DataFileTable files;
  TextColumn keys;
  std::vector<LeafEntry> entries;   // height 0: one for each key
  Blob inline_values;               // in the order of the keys
  std::vector<NodeChild> children;  // height > 0: one for each key

  Blob inline_value(const LeafEntry& entry) const { return inline_values.slice(entry.offset, entry.size_bytes); }
  bool operator==(const BtreeNode& other) const;
};

/// Throw kCorrupt; give or take the values inline, which end the body.
void inline_values_column(ByteReader& io, std::vector<LeafEntry>& entries, Blob& inline_values);
void inline_values_column(ByteWriter& io, const std::vector<LeafEntry>& entries, const Blob& inline_values);

template <class Io, class Node>
void leaf_columns(Io& io, Node& node) {
  for (auto& entry : node.entries) io.varint(entry.size_bytes);
  for (auto& entry : node.entries) io.varint(entry.kind);
  for (auto& entry : node.entries) {
    if (entry.kind != kInlineValue) io.varint(entry.file);
  }
  for (auto& entry : node.entries) {
    if (entry.kind != kInlineValue) io.varint(entry.offset);
  }
  inline_values_column(io, node.entries, node.inline_values);
}

template <class Io, class Rows>
void interior_columns(Io& io, Rows& children) {
  for (auto& child : children) io.varint(child.node.file);
  for (auto& child : children) io.varint(child.node.offset);
  for (auto& child : children) io.varint(child.node.length);
  for (auto& child : children) io.varint(child.statistics.num_keys);
  for (auto& child : children) io.varint(child.statistics.num_tree_bytes);
  for (auto& child : children) io.varint(child.statistics.num_indirect_value_bytes);
}

template <class Io, class Node>
void btree_node(Io& io, Node& node) {
  io.u8(node.height);
  data_file_table(io, node.files);
  auto keys = text_count(io, node.keys, 1 + 1 + 1);  // suffix length, and two columns of a leaf
  text_length_columns(io, keys);
  if (node.height > 0) {
    match_rows(io, node.children, keys.size());
    for (auto& child : node.children) io.varint(child.subtree_prefix_length);
  }
  text_column(io, keys, node.keys);
  if (node.height > 0) {
    interior_columns(io, node.children);
  } else {
    match_rows(io, node.entries, keys.size());
    leaf_columns(io, node);
  }
}

/// The envelope of a node. decode throws kCorrupt for whatever is wrong with it; the result keeps the body alive.
BtreeNode decode_btree_node(const Blob& envelope);
std::string encode_btree_node(const BtreeNode& node, bool compress);

/// Index of `key`, if it is there.
std::optional<std::size_t> find_key(const TextColumn& keys, std::string_view key);
/// Index of the first key that is not less.
std::size_t lower_bound(const TextColumn& keys, std::string_view key);

}  // namespace perdure::storage::ocdbt
