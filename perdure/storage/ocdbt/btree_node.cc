#include "perdure/storage/ocdbt/btree_node.h"

#include <algorithm>

#include "perdure/storage/ocdbt/envelope.h"

namespace perdure::storage::ocdbt {
namespace {

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorKind::kCorrupt, what); }

void check_keys(const TextColumn& keys) {
  if (keys.empty()) fail("no entries");
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (keys[i - 1] >= keys[i]) fail("key " + std::to_string(i) + " is not greater than the one before");
  }
}

void check_entries(const BtreeNode& node) {
  for (const LeafEntry& entry : node.entries) {
    if (entry.kind == kInlineValue) continue;
    check_file_id(node.files, entry.file);
    if (entry.size_bytes > ~entry.offset) fail("value range beyond 64 bits");
  }
}

void check_children(const BtreeNode& node) {
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const NodeChild& child = node.children[i];
    check_file_id(node.files, child.node.file);
    if (child.subtree_prefix_length > node.keys[i].size()) fail("subtree prefix longer than its key");
  }
}

}  // namespace

void inline_values_column(ByteReader& io, std::vector<LeafEntry>& entries, Blob& inline_values) {
  std::uint64_t total = 0;
  for (LeafEntry& entry : entries) {
    if (entry.kind > kOutOfLineValue) fail("value kind " + std::to_string(entry.kind));
    if (entry.kind != kInlineValue) continue;
    if (entry.size_bytes > kInlineValueBytesMax) fail("inline value of " + std::to_string(entry.size_bytes) + " bytes");
    entry.offset = total;
    total += entry.size_bytes;  // at most 2^24 rows of 2^20
  }
  inline_values = Blob(io.bytes(total), nullptr);
}

void inline_values_column(ByteWriter& io, const std::vector<LeafEntry>&, const Blob& inline_values) { io.bytes(inline_values); }

bool BtreeNode::operator==(const BtreeNode& other) const {
  return height == other.height && files == other.files && keys == other.keys && entries == other.entries &&
         inline_values.text() == other.inline_values.text() && children == other.children;
}

BtreeNode decode_btree_node(const Blob& envelope) {
  const Blob body = open_envelope(envelope, Magic::kBtreeNode);
  return with_note([] { return std::string("B+tree node"); },
                   [&] {
                     ByteReader io(body);
                     BtreeNode node;
                     btree_node(io, node);
                     io.expect_end();
                     check(node.files);
                     check_keys(node.keys);
                     check_entries(node);
                     check_children(node);
                     node.inline_values = Blob(node.inline_values, body.owner());
                     return node;
                   });
}

std::string encode_btree_node(const BtreeNode& node, bool compress) {
  constexpr std::size_t kRowBytesUsual = 16;
  ByteWriter io;
  io.reserve(node.inline_values.size() + node.keys.size_bytes() + node.keys.size() * kRowBytesUsual);
  btree_node(io, node);
  return seal_envelope(io.str(), Magic::kBtreeNode, compress);
}

std::size_t lower_bound(const TextColumn& keys, std::string_view key) {
  std::size_t first = 0, count = keys.size();
  while (count > 0) {
    const std::size_t half = count / 2;
    if (keys[first + half] < key) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

std::optional<std::size_t> find_key(const TextColumn& keys, std::string_view key) {
  const std::size_t index = lower_bound(keys, key);
  if (index == keys.size() || keys[index] != key) return std::nullopt;
  return index;
}

}  // namespace perdure::storage::ocdbt
