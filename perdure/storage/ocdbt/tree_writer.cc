#include "perdure/storage/ocdbt/tree_writer.h"

#include <algorithm>
#include <numeric>

#include "perdure/storage/ocdbt/btree_node.h"

namespace perdure::storage::ocdbt {
namespace {

constexpr std::uint64_t kVarintBytesMax = 10;
constexpr std::uint64_t kLeafRowBytesMax = 6 * kVarintBytesMax;      // two of the key, size, kind, file, offset
constexpr std::uint64_t kInteriorRowBytesMax = 9 * kVarintBytesMax;  // three of the key, six of the child
constexpr std::uint64_t kNodeHeadBytesMax = 1 + 2 * kVarintBytesMax;

/// A node that has been written, as its parent sees it. The keys are whole.
struct WrittenNode {
  std::string_view first_key;
  std::string_view last_key;
  std::size_t prefix_length = 0;  // bytes that all keys share and that the node does not repeat
  DataRange range;
  Statistics statistics;
};

/// Cuts `rows` into runs of at least `rows_min` rows (the last may have fewer) that stay within `bytes_max` where they can.
template <class Row, class Weight>
std::vector<std::span<const Row>> split(std::span<const Row> rows, std::uint64_t bytes_max, std::size_t rows_min, Weight weight) {
  std::vector<std::span<const Row>> groups;
  std::size_t begin = 0;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint64_t row_bytes = weight(rows[i]);
    if (i - begin >= rows_min && bytes + row_bytes > bytes_max) {
      groups.push_back(rows.subspan(begin, i - begin));
      begin = i;
      bytes = 0;
    }
    bytes += row_bytes;
  }
  groups.push_back(rows.subspan(begin));
  return groups;
}

class TreeWriter {
 public:
  TreeWriter(const FileIndex& files, const TreeOptions& options) : files_(files), options_(options) {
    const std::uint64_t head = kNodeHeadBytesMax + files.table_bytes_max();
    rows_bytes_max_ = options.max_decoded_node_bytes - std::min(options.max_decoded_node_bytes, head);
  }

  WrittenTree write(std::span<const Entry* const> entries) {
    std::vector<WrittenNode> level = write_leaves(entries);
    std::uint8_t height = 0;
    while (level.size() > 1) level = write_level(level, ++height);
    return {std::move(nodes_), height, level[0].range.offset, level[0].range.length, level[0].statistics};
  }

 private:
  std::vector<WrittenNode> write_leaves(std::span<const Entry* const> entries) {
    const auto groups = split(entries, rows_bytes_max_, 1, [](const Entry* entry) {
      return kLeafRowBytesMax + entry->key.size() + (entry->is_inline ? entry->inline_value.size() : 0);
    });
    std::vector<WrittenNode> level;
    for (const auto group : groups) {
      const std::string_view first = group.front()->key, last = group.back()->key;
      level.push_back(write_leaf(group, {first, last, prefix_length(first, last, groups.size() == 1), {}, {}}));
    }
    return level;
  }

  std::vector<WrittenNode> write_level(std::span<const WrittenNode> below, std::uint8_t height) {
    const auto groups =
        split(below, rows_bytes_max_, 2, [](const WrittenNode& child) { return kInteriorRowBytesMax + child.first_key.size(); });
    std::vector<WrittenNode> level;
    for (const auto group : groups) {
      const std::string_view first = group.front().first_key, last = group.back().last_key;
      level.push_back(write_interior(group, height, {first, last, prefix_length(first, last, groups.size() == 1), {}, {}}));
    }
    return level;
  }

  static std::size_t prefix_length(std::string_view first, std::string_view last, bool is_root) {
    return is_root ? 0 : common_prefix_length(first, last);
  }

  WrittenNode write_leaf(std::span<const Entry* const> entries, WrittenNode written) {
    BtreeNode node;
    std::string inline_values;
    std::vector<bool> used(files_.size());
    std::vector<std::uint64_t> rows;
    node.entries.reserve(entries.size());
    reserve_texts(node.keys, inline_values, entries);
    for (const Entry* entry : entries) {
      node.keys.push_back(std::string_view(entry->key).substr(written.prefix_length));
      if (entry->is_inline) {
        node.entries.push_back({entry->inline_value.size(), kInlineValue, 0, inline_values.size()});
        inline_values.append(entry->inline_value);
      } else {
        node.entries.push_back({entry->size_bytes, kOutOfLineValue, entry->file, entry->offset});
        used[entry->file] = true;
        written.statistics.num_indirect_value_bytes += entry->size_bytes;
      }
    }
    node.files = files_.table(used, rows);
    for (LeafEntry& entry : node.entries) entry.file = entry.kind == kInlineValue ? 0 : rows[entry.file];
    node.inline_values = Blob(as_bytes(inline_values), nullptr);
    written.statistics.num_keys = entries.size();
    return append(node, written);
  }

  static void reserve_texts(TextColumn& keys, std::string& inline_values, std::span<const Entry* const> entries) {
    std::size_t key_bytes = 0, value_bytes = 0;
    for (const Entry* entry : entries) {
      key_bytes += entry->key.size();
      value_bytes += entry->is_inline ? entry->inline_value.size() : 0;
    }
    keys.reserve(entries.size(), key_bytes);
    inline_values.reserve(value_bytes);
  }

  WrittenNode write_interior(std::span<const WrittenNode> children, std::uint8_t height, WrittenNode written) {
    BtreeNode node;
    node.height = height;
    std::vector<bool> used(files_.size());
    std::vector<std::uint64_t> rows;
    used[options_.nodes_file] = true;
    node.files = files_.table(used, rows);
    for (const WrittenNode& child : children) {
      node.keys.push_back(child.first_key.substr(written.prefix_length));
      node.children.push_back({child.prefix_length - written.prefix_length, child.range, child.statistics});
      written.statistics.num_keys += child.statistics.num_keys;
      written.statistics.num_tree_bytes += child.statistics.num_tree_bytes;
      written.statistics.num_indirect_value_bytes += child.statistics.num_indirect_value_bytes;
    }
    return append(node, written);
  }

  WrittenNode append(const BtreeNode& node, WrittenNode written) {
    const std::string encoded = encode_btree_node(node, options_.compress);
    written.range = {0, options_.nodes_offset + nodes_.size(), encoded.size()};
    written.statistics.num_tree_bytes += encoded.size();
    nodes_.append(encoded);
    return written;
  }

  const FileIndex& files_;
  const TreeOptions& options_;
  std::uint64_t rows_bytes_max_ = 0;
  std::string nodes_;
};

}  // namespace

FileIndex::FileIndex(const std::vector<std::string>& paths) : paths_(paths), order_(paths.size()) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return paths_[a] < paths_[b]; });
}

DataFileTable FileIndex::table(const std::vector<bool>& used, std::vector<std::uint64_t>& rows) const {
  DataFileTable table;
  rows.assign(paths_.size(), 0);
  for (const std::size_t file : order_) {
    if (!used[file]) continue;
    rows[file] = table.size();
    table.add("", paths_[file]);
  }
  return table;
}

std::uint64_t FileIndex::table_bytes_max() const {
  std::uint64_t total = kVarintBytesMax;
  for (const std::string& path : paths_) total += path.size() + 3 * kVarintBytesMax;
  return total;
}

WrittenTree write_tree(std::span<const Entry* const> entries, const FileIndex& files, const TreeOptions& options) {
  return TreeWriter(files, options).write(entries);
}

}  // namespace perdure::storage::ocdbt
