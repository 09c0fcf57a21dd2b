#include "perdure/storage/ocdbt/writer.h"

#include <algorithm>

#include "perdure/base/error.h"
#include "perdure/storage/kvstore/key_text.h"
#include "perdure/storage/ocdbt/btree_node.h"
#include "perdure/storage/ocdbt/manifest.h"
#include "perdure/storage/ocdbt/tree_writer.h"

namespace perdure::storage::ocdbt {
namespace {

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorKind::kInvalid, what); }

void check(const Entry& entry, std::size_t file_count) {
  if (entry.key.size() > kTextBytesMax) fail("a key of " + std::to_string(entry.key.size()) + " bytes, at most 65535 fit");
  if (entry.is_inline) {
    if (entry.inline_value.size() > kInlineValueBytesMax)
      fail("the value of " + key_text(entry.key) + " is too large to be inline");
    return;
  }
  if (entry.file >= file_count) fail("the value of " + key_text(entry.key) + " is in data file " + std::to_string(entry.file));
  if (entry.size_bytes > ~entry.offset) fail("the value of " + key_text(entry.key) + " ends beyond 64 bits");
}

/// In order of the keys. Sorting 40,000 pointers takes several times longer than seeing that they are sorted.
std::vector<const Entry*> sorted(const std::vector<Entry>& entries, std::size_t file_count) {
  std::vector<const Entry*> order;
  order.reserve(entries.size());
  for (const Entry& entry : entries) {
    check(entry, file_count);
    order.push_back(&entry);
  }
  const auto before = [](const Entry* a, const Entry* b) { return a->key < b->key; };
  if (!std::is_sorted(order.begin(), order.end(), before)) std::sort(order.begin(), order.end(), before);
  const auto twice =
      std::adjacent_find(order.begin(), order.end(), [](const Entry* a, const Entry* b) { return a->key == b->key; });
  if (twice != order.end()) fail("key " + key_text((*twice)->key) + " is given twice");
  return order;
}

Config stored_config(const WriterConfig& config) {
  Config stored;
  stored.uuid = config.uuid;
  stored.max_inline_value_bytes = config.max_inline_value_bytes;
  stored.max_decoded_node_bytes = config.max_decoded_node_bytes;
  stored.compression = config.compress_nodes ? kZstdCompression : kNoCompression;
  return stored;
}

/// A manifest of the one generation that is there; its root is `tree`, if there is one.
Manifest make_manifest(const WrittenTree* tree, const std::string& nodes_file, const WriterConfig& config) {
  Manifest manifest;
  manifest.config = stored_config(config);
  manifest.files.add("", tree ? nodes_file : "");
  Generation generation;
  generation.root = tree ? DataRange{0, tree->offset, tree->length} : DataRange{0, kNoRoot, kNoRoot};
  generation.root_height = tree ? tree->height : std::uint8_t{0};
  generation.statistics = tree ? tree->statistics : Statistics{};
  generation.commit_time_ns = config.commit_time_ns;
  manifest.generations.push_back(generation);
  return manifest;
}

}  // namespace

void shift_files(std::span<Entry> entries, std::uint32_t count) {
  for (Entry& entry : entries) entry.file += entry.is_inline ? 0 : count;
}

DatabaseBytes encode_database(std::vector<Entry> entries, const std::vector<std::string>& data_files, std::uint32_t nodes_file,
                              std::uint64_t nodes_offset, const WriterConfig& config) {
  const std::vector<const Entry*> order = sorted(entries, data_files.size());
  if (order.empty()) return {"", encode_manifest(make_manifest(nullptr, "", config), config.compress_nodes)};
  if (nodes_file >= data_files.size())
    fail("nodes in data file " + std::to_string(nodes_file) + " of " + std::to_string(data_files.size()));
  const FileIndex files(data_files);
  WrittenTree tree = write_tree(order, files, {nodes_file, nodes_offset, config.max_decoded_node_bytes, config.compress_nodes});
  const std::string manifest = encode_manifest(make_manifest(&tree, data_files[nodes_file], config), config.compress_nodes);
  return {std::move(tree.nodes), manifest};
}

}  // namespace perdure::storage::ocdbt
