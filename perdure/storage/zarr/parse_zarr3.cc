#include <algorithm>
#include <array>

#include "perdure/storage/zarr/element_bytes.h"
#include "perdure/storage/zarr/fill_value.h"
#include "perdure/storage/zarr/metadata.h"
#include "perdure/storage/zarr/parse_codecs.h"
#include "perdure/storage/zarr/parse_members.h"

namespace perdure::storage::zarr {
namespace {

constexpr std::array<std::string_view, 11> kMembers = {
    "zarr_format", "node_type", "shape",      "data_type",       "chunk_grid",          "chunk_key_encoding",
    "fill_value",  "codecs",    "attributes", "dimension_names", "storage_transformers"};

/// A member that we do not know must say that it need not be understood.
void refuse_unknown_members(const json::Object& members) {
  for (const auto& [key, value] : members.members()) {
    if (std::ranges::find(kMembers, key) != kMembers.end()) continue;
    const json::Value* must_understand = value.is_object() ? value.as_object().find("must_understand") : nullptr;
    if (must_understand != nullptr && must_understand->is_bool() && !must_understand->as_bool()) continue;
    throw Error(ErrorKind::kInvalid, "unknown member '" + key + "', which is not marked {\"must_understand\": false}");
  }
}

void check_node_type(const json::Value& value) {
  const std::string& node_type = value.as_string();
  if (node_type == "group") throw Error(ErrorKind::kInvalid, "expected an array, found a group");
  if (node_type != "array") throw Error(ErrorKind::kCorrupt, "expected \"array\", found \"" + node_type + "\"");
}

DType parse_data_type(const json::Value& value) {
  if (value.is_string()) {
    for (const DTypeInfo& row : dtype_table()) {
      if (row.has_zarr_name && row.zarr3 == value.as_string()) return row.dtype;
    }
    throw Error(ErrorKind::kInvalid, "unknown data type '" + value.as_string() + "'");
  }
  throw Error(ErrorKind::kInvalid, "expected the name of a data type, found " + json::dump(value));
}

Shape parse_chunk_grid(const json::Value& value) {
  const NamedConfiguration grid = parse_named(value);
  if (grid.name != "regular") throw Error(ErrorKind::kInvalid, "unknown chunk grid '" + std::string(grid.name) + "'");
  return parse_member(grid.configuration->as_object(), "chunk_shape", parse_shape);
}

void parse_chunk_key_encoding(const json::Value& value, ArrayMetadata& metadata) {
  const NamedConfiguration encoding = parse_named(value);
  if (encoding.name != "default" && encoding.name != "v2") {
    throw Error(ErrorKind::kInvalid, "unknown chunk key encoding '" + std::string(encoding.name) + "'");
  }
  metadata.v2_keys = encoding.name == "v2";
  metadata.separator = metadata.v2_keys ? '.' : '/';
  const json::Value* separator =
      encoding.configuration->is_null() ? nullptr : encoding.configuration->as_object().find("separator");
  if (separator == nullptr) return;
  const std::string& text = separator->as_string();
  if (text != "." && text != "/") throw Error(ErrorKind::kCorrupt, "expected separator \".\" or \"/\", found \"" + text + "\"");
  metadata.separator = text[0];
}

void refuse_storage_transformers(const json::Object& members) {
  const json::Value* transformers = members.find("storage_transformers");
  if (transformers == nullptr || transformers->is_null() || (transformers->is_array() && transformers->as_array().empty()))
    return;
  throw Error(ErrorKind::kInvalid, "storage transformers are not supported");
}

}  // namespace

ArrayMetadata parse_zarr3(std::string_view text) {
  const json::Value document = json::parse(text, {.depth_max = kJsonDepthMax});
  const json::Object& members = document.as_object();
  ArrayMetadata metadata;
  parse_member(members, "zarr_format", [](const json::Value& value) { check_zarr_format(value, 3); });
  parse_member(members, "node_type", check_node_type);
  refuse_unknown_members(members);
  refuse_storage_transformers(members);
  const DType stored = parse_member(members, "data_type", parse_data_type);
  metadata.shape = parse_member(members, "shape", parse_shape);
  metadata.chunk_shape = parse_member(members, "chunk_grid", parse_chunk_grid);
  check_chunk_shape(metadata.shape, metadata.chunk_shape, stored);
  parse_member(members, "chunk_key_encoding", [&](const json::Value& value) { parse_chunk_key_encoding(value, metadata); });
  metadata.codecs = parse_member(members, "codecs",
                                 [&](const json::Value& value) { return parse_codecs(value, metadata.chunk_shape, stored); });
  metadata.dtype = stored;
  if (members.find("attributes") != nullptr) {
    metadata.dtype = parse_member(members, "attributes", [&](const json::Value& value) { return private_dtype(value, stored); });
  }
  metadata.fill_value =
      parse_member(members, "fill_value", [&](const json::Value& value) { return parse_fill_value(value, stored); });
  from_stored_bytes(metadata.fill_value, metadata.dtype);
  return metadata;
}

}  // namespace perdure::storage::zarr
