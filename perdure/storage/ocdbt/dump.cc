#include "perdure/storage/ocdbt/dump.h"

#include "perdure/storage/ocdbt/json_io.h"

namespace perdure::storage::ocdbt {
namespace {

struct DataFile {
  std::string base_path;
  std::string relative_path;
};

/// A leaf entry or a child with its key.
template <class Row>
struct Keyed {
  std::string key;
  Row row;
  std::string inline_value;
};

constexpr auto describe_file = [](auto& io, auto& file) {
  io.bytes("base_path", file.base_path);
  io.bytes("relative_path", file.relative_path);
};

template <class Io, class Range>
void describe_range(Io& io, Range& range) {
  io.number("file", range.file);
  io.number("offset", range.offset);
  io.number("length", range.length);
}

template <class Io, class S>
void describe_statistics(Io& io, S& statistics) {
  io.number("num_keys", statistics.num_keys);
  io.number("num_tree_bytes", statistics.num_tree_bytes);
  io.number("num_indirect_value_bytes", statistics.num_indirect_value_bytes);
}

constexpr auto describe_generation = [](auto& io, auto& row) {
  io.number("generation", row.number);
  io.number("root_height", row.root_height);
  describe_range(io, row.root);
  describe_statistics(io, row.statistics);
  io.number("commit_time_ns", row.commit_time_ns);
};

constexpr auto describe_version_node = [](auto& io, auto& row) {
  io.number("last_generation", row.last_generation);
  describe_range(io, row.node);
  io.number("num_generations", row.num_generations);
  io.number("first_commit_time_ns", row.first_commit_time_ns);
  io.number("height", row.height);
};

constexpr auto describe_child = [](auto& io, auto& child) {
  io.bytes("key", child.key);
  io.number("subtree_prefix_length", child.row.subtree_prefix_length);
  describe_range(io, child.row.node);
  describe_statistics(io, child.row.statistics);
};

void describe_entry(ToJson& io, const Keyed<LeafEntry>& entry) {
  io.bytes("key", entry.key);
  if (entry.row.kind == kInlineValue) return io.bytes("inline_value", entry.inline_value);
  io.number("file", entry.row.file);
  io.number("offset", entry.row.offset);
  io.number("size_bytes", entry.row.size_bytes);
}

void describe_entry(FromJson& io, Keyed<LeafEntry>& entry) {
  io.bytes("key", entry.key);
  if (io.has("inline_value")) {
    io.bytes("inline_value", entry.inline_value);
    entry.row.size_bytes = entry.inline_value.size();
    return;
  }
  entry.row.kind = kOutOfLineValue;
  io.number("file", entry.row.file);
  io.number("offset", entry.row.offset);
  io.number("size_bytes", entry.row.size_bytes);
}

template <class Io, class C>
void describe_config(Io& io, C& config) {
  io.number("manifest_kind", config.manifest_kind);
  io.number("max_inline_value_bytes", config.max_inline_value_bytes);
  io.number("max_decoded_node_bytes", config.max_decoded_node_bytes);
  io.number("version_tree_arity_log2", config.version_tree_arity_log2);
  io.number("compression", config.compression);
  io.number("zstd_level", config.zstd_level);
}

// ---- tables that are kept in columns, as rows

std::vector<DataFile> file_rows(const DataFileTable& table) {
  std::vector<DataFile> rows;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::string_view base_path = table.base_path(i);
    rows.push_back({std::string(base_path), std::string(table.paths[i].substr(base_path.size()))});
  }
  return rows;
}

void put_files(ToJson& io, const DataFileTable& table) { io.rows("data_files", file_rows(table), describe_file); }

DataFileTable take_files(FromJson& io) {
  std::vector<DataFile> rows;
  io.rows("data_files", rows, describe_file);
  DataFileTable table;
  for (const DataFile& row : rows) table.add(row.base_path, row.relative_path);
  return table;
}

/// The keys of a node beside one of its columns.
template <class Row>
std::vector<Keyed<Row>> keyed_rows(const BtreeNode& node, const std::vector<Row>& column) {
  std::vector<Keyed<Row>> rows;
  for (std::size_t i = 0; i < column.size(); ++i) rows.push_back({std::string(node.keys[i]), column[i], ""});
  return rows;
}

template <class Row, class Describe>
std::vector<Keyed<Row>> take_rows(FromJson& io, const char* name, Describe describe, BtreeNode& node, std::vector<Row>& column) {
  std::vector<Keyed<Row>> rows;
  io.rows(name, rows, describe);
  for (const Keyed<Row>& row : rows) {
    node.keys.push_back(row.key);
    column.push_back(row.row);
  }
  return rows;
}

std::vector<Keyed<LeafEntry>> entry_rows(const BtreeNode& node) {
  std::vector<Keyed<LeafEntry>> rows = keyed_rows(node, node.entries);
  for (Keyed<LeafEntry>& row : rows) {
    if (row.row.kind == kInlineValue) row.inline_value = node.inline_value(row.row).text();
  }
  return rows;
}

constexpr auto describe_entry_row = [](auto& io, auto& row) { describe_entry(io, row); };

void take_entries(FromJson& io, BtreeNode& node) {
  const std::vector<Keyed<LeafEntry>> rows = take_rows(io, "entries", describe_entry_row, node, node.entries);
  std::string inline_values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (node.entries[i].kind == kInlineValue) node.entries[i].offset = inline_values.size();
    inline_values += rows[i].inline_value;
  }
  node.inline_values = Blob::from(std::move(inline_values));
}

}  // namespace

json::Value to_json(const Manifest& manifest) {
  ToJson io;
  io.bytes("uuid", as_text(std::as_bytes(std::span(manifest.config.uuid))));
  describe_config(io, manifest.config);
  put_files(io, manifest.files);
  io.rows("generations", manifest.generations, describe_generation);
  io.rows("version_nodes", manifest.version_nodes, describe_version_node);
  return io.take();
}

Manifest manifest_from_json(const json::Value& value) {
  FromJson io(value);
  Manifest manifest;
  std::string uuid;
  io.bytes("uuid", uuid);
  if (uuid.size() != manifest.config.uuid.size())
    throw Error(ErrorKind::kCorrupt, "uuid of " + std::to_string(uuid.size()) + " bytes");
  std::copy(uuid.begin(), uuid.end(), manifest.config.uuid.begin());
  describe_config(io, manifest.config);
  manifest.files = take_files(io);
  io.rows("generations", manifest.generations, describe_generation);
  io.rows("version_nodes", manifest.version_nodes, describe_version_node);
  return manifest;
}

json::Value to_json(const VersionNode& node) {
  ToJson io;
  io.number("arity_log2", node.arity_log2);
  io.number("height", node.height);
  put_files(io, node.files);
  io.rows("generations", node.generations, describe_generation);
  io.rows("children", node.children, describe_version_node);
  return io.take();
}

VersionNode version_node_from_json(const json::Value& value) {
  FromJson io(value);
  VersionNode node;
  io.number("arity_log2", node.arity_log2);
  io.number("height", node.height);
  node.files = take_files(io);
  io.rows("generations", node.generations, describe_generation);
  io.rows("children", node.children, describe_version_node);
  return node;
}

json::Value to_json(const BtreeNode& node) {
  ToJson io;
  io.number("height", node.height);
  put_files(io, node.files);
  if (node.height == 0) {
    io.rows("entries", entry_rows(node), describe_entry_row);
  } else {
    io.rows("children", keyed_rows(node, node.children), describe_child);
  }
  return io.take();
}

BtreeNode btree_node_from_json(const json::Value& value) {
  FromJson io(value);
  BtreeNode node;
  io.number("height", node.height);
  node.files = take_files(io);
  if (node.height == 0) {
    take_entries(io, node);
  } else {
    take_rows(io, "children", describe_child, node, node.children);
  }
  return node;
}

}  // namespace perdure::storage::ocdbt
