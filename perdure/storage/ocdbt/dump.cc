#include "perdure/storage/ocdbt/dump.h"

#include <algorithm>

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

constexpr auto describe_version_child = [](auto& io, auto& row) {
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

template <class Io, class Entry>
void describe_place(Io& io, Entry& entry) {
  io.number("file", entry.file);
  io.number("offset", entry.offset);
  io.number("size_bytes", entry.size_bytes);
}

void describe_value(ToJson& io, const Keyed<LeafEntry>& entry) {
  if (entry.row.kind == kInlineValue) return io.bytes("inline_value", entry.inline_value);
  describe_place(io, entry.row);
}

void describe_value(FromJson& io, Keyed<LeafEntry>& entry) {
  if (io.has("inline_value")) {
    io.bytes("inline_value", entry.inline_value);
    entry.row.size_bytes = entry.inline_value.size();
  } else {
    entry.row.kind = kOutOfLineValue;
    describe_place(io, entry.row);
  }
}

constexpr auto describe_entry = [](auto& io, auto& entry) {
  io.bytes("key", entry.key);
  describe_value(io, entry);
};

template <class Io, class C>
void describe_config(Io& io, C& config) {
  io.number("manifest_kind", config.manifest_kind);
  io.number("max_inline_value_bytes", config.max_inline_value_bytes);
  io.number("max_decoded_node_bytes", config.max_decoded_node_bytes);
  io.number("version_tree_arity_log2", config.version_tree_arity_log2);
  io.number("compression", config.compression);
  io.number("zstd_level", config.zstd_level);
}

void describe_uuid(ToJson& io, const Config& config) { io.bytes("uuid", as_text(std::as_bytes(std::span(config.uuid)))); }

void describe_uuid(FromJson& io, Config& config) {
  std::string uuid;
  io.bytes("uuid", uuid);
  if (uuid.size() != config.uuid.size()) throw Error(ErrorKind::kCorrupt, "uuid of " + std::to_string(uuid.size()) + " bytes");
  std::ranges::copy(uuid, config.uuid.begin());
}

// ---- tables that are kept in columns, as rows

void describe_files(ToJson& io, const DataFileTable& table) {
  std::vector<DataFile> rows;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::string_view base_path = table.base_path(i);
    rows.push_back({std::string(base_path), std::string(table.paths[i].substr(base_path.size()))});
  }
  io.rows("data_files", rows, describe_file);
}

void describe_files(FromJson& io, DataFileTable& table) {
  std::vector<DataFile> rows;
  io.rows("data_files", rows, describe_file);
  for (const DataFile& row : rows) table.add(row.base_path, row.relative_path);
}

/// The keys of a node beside one of its columns.
template <class Row>
std::vector<Keyed<Row>> keyed_rows(const BtreeNode& node, const std::vector<Row>& column) {
  std::vector<Keyed<Row>> rows;
  for (std::size_t i = 0; i < column.size(); ++i) rows.push_back({std::string(node.keys[i]), column[i], ""});
  return rows;
}

template <class Row>
void set_columns(const std::vector<Keyed<Row>>& rows, BtreeNode& node, std::vector<Row>& column) {
  for (const Keyed<Row>& row : rows) {
    node.keys.push_back(row.key);
    column.push_back(row.row);
  }
}

void describe_children(ToJson& io, const BtreeNode& node) {
  io.rows("children", keyed_rows(node, node.children), describe_child);
}

void describe_children(FromJson& io, BtreeNode& node) {
  std::vector<Keyed<NodeChild>> rows;
  io.rows("children", rows, describe_child);
  set_columns(rows, node, node.children);
}

void describe_entries(ToJson& io, const BtreeNode& node) {
  std::vector<Keyed<LeafEntry>> rows = keyed_rows(node, node.entries);
  for (Keyed<LeafEntry>& row : rows) {
    if (row.row.kind == kInlineValue) row.inline_value = node.inline_value(row.row).text();
  }
  io.rows("entries", rows, describe_entry);
}

void describe_entries(FromJson& io, BtreeNode& node) {
  std::vector<Keyed<LeafEntry>> rows;
  io.rows("entries", rows, describe_entry);
  std::string inline_values;
  for (Keyed<LeafEntry>& row : rows) {
    if (row.row.kind == kInlineValue) row.row.offset = inline_values.size();
    inline_values += row.inline_value;
  }
  set_columns(rows, node, node.entries);
  node.inline_values = Blob::from(std::move(inline_values));
}

// ---- whole structures

constexpr auto describe_manifest = [](auto& io, auto& manifest) {
  describe_uuid(io, manifest.config);
  describe_config(io, manifest.config);
  describe_files(io, manifest.files);
  io.rows("generations", manifest.generations, describe_generation);
  io.rows("version_nodes", manifest.version_nodes, describe_version_child);
};

constexpr auto describe_version_node = [](auto& io, auto& node) {
  io.number("arity_log2", node.arity_log2);
  io.number("height", node.height);
  describe_files(io, node.files);
  io.rows("generations", node.generations, describe_generation);
  io.rows("children", node.children, describe_version_child);
};

constexpr auto describe_btree_node = [](auto& io, auto& node) {
  io.number("height", node.height);
  describe_files(io, node.files);
  if (node.height == 0) {
    describe_entries(io, node);
  } else {
    describe_children(io, node);
  }
};

template <class Structure, class Describe>
json::Value written(const Structure& structure, Describe describe) {
  ToJson io;
  describe(io, structure);
  return io.take();
}

template <class Structure, class Describe>
Structure read(const json::Value& value, Describe describe) {
  FromJson io(value);
  Structure structure;
  describe(io, structure);
  return structure;
}

}  // namespace

json::Value to_json(const Manifest& manifest) { return written(manifest, describe_manifest); }
json::Value to_json(const VersionNode& node) { return written(node, describe_version_node); }
json::Value to_json(const BtreeNode& node) { return written(node, describe_btree_node); }

Manifest manifest_from_json(const json::Value& value) { return read<Manifest>(value, describe_manifest); }
VersionNode version_node_from_json(const json::Value& value) { return read<VersionNode>(value, describe_version_node); }
BtreeNode btree_node_from_json(const json::Value& value) { return read<BtreeNode>(value, describe_btree_node); }

}  // namespace perdure::storage::ocdbt
