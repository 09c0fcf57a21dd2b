#pragma once
// Generations of a database: the latest ones stand in the manifest, older ones in a tree of version nodes.
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "perdure/base/byte_io.h"
#include "perdure/storage/ocdbt/columns.h"
#include "perdure/storage/ocdbt/data_file_table.h"

namespace perdure::storage::ocdbt {

/// Where bytes of a structure lie; `file` is a row of the data file table beside it.
struct DataRange {
  std::uint64_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  bool operator==(const DataRange&) const = default;
};

/// What is below a B+tree node.
struct Statistics {
  std::uint64_t num_keys = 0;
  std::uint64_t num_tree_bytes = 0;            // encoded nodes
  std::uint64_t num_indirect_value_bytes = 0;  // values out of line
  bool operator==(const Statistics&) const = default;
};

/// Offset and length of a root that is not there: the generation has no keys.
inline constexpr std::uint64_t kNoRoot = std::numeric_limits<std::uint64_t>::max();

struct Generation {
  std::uint64_t number = 1;
  std::uint8_t root_height = 0;
  DataRange root;
  Statistics statistics;
  std::uint64_t commit_time_ns = 0;
  bool has_root() const { return root.offset != kNoRoot || root.length != kNoRoot; }
  bool operator==(const Generation&) const = default;
};

struct VersionNodeReference {
  std::uint64_t last_generation = 0;
  DataRange node;
  std::uint64_t num_generations = 0;
  std::uint64_t first_commit_time_ns = 0;
  std::uint8_t height = 0;  // stored in the manifest only; below, it is one less than the parent's
  bool operator==(const VersionNodeReference&) const = default;
};

struct VersionNode {
  std::uint8_t arity_log2 = 4;
  std::uint8_t height = 0;
  DataFileTable files;
  std::vector<Generation> generations;         // height 0
  std::vector<VersionNodeReference> children;  // height > 0
  bool operator==(const VersionNode&) const = default;
};

template <class Io, class Rows>
void generation_columns(Io& io, Rows& rows) {
  row_count(io, rows, 8 + 8);  // eight columns of at least a byte, and the time
  for (auto& row : rows) io.varint(row.number);
  for (auto& row : rows) io.u8(row.root_height);
  for (auto& row : rows) io.varint(row.root.file);
  for (auto& row : rows) io.varint(row.root.offset);
  for (auto& row : rows) io.varint(row.root.length);
  for (auto& row : rows) io.varint(row.statistics.num_keys);
  for (auto& row : rows) io.varint(row.statistics.num_tree_bytes);
  for (auto& row : rows) io.varint(row.statistics.num_indirect_value_bytes);
  for (auto& row : rows) io.u64le(row.commit_time_ns);
}

template <class Io, class Rows>
void version_node_reference_columns(Io& io, Rows& rows) {
  row_count(io, rows, 5 + 8);
  for (auto& row : rows) io.varint(row.last_generation);
  for (auto& row : rows) io.varint(row.node.file);
  for (auto& row : rows) io.varint(row.node.offset);
  for (auto& row : rows) io.varint(row.node.length);
  for (auto& row : rows) io.varint(row.num_generations);
  for (auto& row : rows) io.u64le(row.first_commit_time_ns);
}

template <class Io, class Node>
void version_node(Io& io, Node& node) {
  io.u8(node.arity_log2);
  io.u8(node.height);
  data_file_table(io, node.files);
  if (node.height == 0) {
    generation_columns(io, node.generations);
  } else {
    version_node_reference_columns(io, node.children);
  }
}

/// Throws kCorrupt unless the numbers ascend from 1 or more, there is one, and every file is in the table.
void check(std::span<const Generation> generations, const DataFileTable& files);
void check(std::span<const VersionNodeReference> references, const DataFileTable& files);

/// The envelope of a node; decode throws kCorrupt for whatever is wrong with it.
VersionNode decode_version_node(const Blob& envelope);
std::string encode_version_node(const VersionNode& node, bool compress);

}  // namespace perdure::storage::ocdbt
