#include "perdure/checkpoint/orbax/tree_metadata.h"

#include <algorithm>

#include "perdure/base/error.h"
#include "perdure/base/object.h"
#include "perdure/checkpoint/orbax/value_type.h"

namespace perdure::checkpoint {
namespace {

constexpr std::string_view kPrivateKey = "perdure";
constexpr std::uint64_t kFormatVersion = 1;  // of what stands under kPrivateKey

bool needs_no_escape(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= 0x20 && c < 0x7f && c != '\'' && c != '\\' && c != '"'; });
}

/// The tuple of key names as Python prints it, as a JSON string: "('layers', '0')".
void append_tuple_text(std::string& out, const std::vector<TreeMetadataEntry::PathKey>& path) {
  const bool plain = std::all_of(path.begin(), path.end(), [](const auto& part) { return needs_no_escape(part.key); });
  std::string text;
  std::string& target = plain ? out.append(1, '"') : text;
  target += '(';
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (i > 0) target += ", ";
    if (plain) {
      target.append(1, '\'').append(path[i].key).append(1, '\'');
    } else {
      target += Key{Text{path[i].key}}.repr();
    }
  }
  target += path.size() == 1 ? ",)" : ")";
  if (plain) {
    out += '"';
  } else {
    json::append_quoted(out, text);
  }
}

void append_key_metadata(std::string& out, const std::vector<TreeMetadataEntry::PathKey>& path) {
  out += "{\"key_metadata\":[";
  for (std::size_t i = 0; i < path.size(); ++i) {
    out += i == 0 ? "{\"key\":" : ",{\"key\":";
    json::append_quoted(out, path[i].key);
    out += path[i].type == TreeMetadataEntry::KeyType::kSequence ? ",\"key_type\":1}" : ",\"key_type\":2}";
  }
  out += ']';
}

void append_entry(std::string& out, const TreeMetadataEntry& entry) {
  append_tuple_text(out, entry.path);
  out += ':';
  append_key_metadata(out, entry.path);
  out += ",\"value_metadata\":{\"value_type\":";
  json::append_quoted(out, entry.value_type);
  out += entry.is_empty_value() ? ",\"skip_deserialize\":true" : ",\"skip_deserialize\":false";
  if (entry.write_shape) {
    json::append_numbers(out += ",\"write_shape\":", entry.write_shape->dims());
  }
  out += "}}";
}

json::Value private_part(const std::vector<std::string>& private_files) {
  json::Array files(private_files.begin(), private_files.end());
  return json::Object{{"version", kFormatVersion}, {"private_files", std::move(files)}};
}

Shape shape_from_json(const json::Value& value) {
  std::vector<std::uint64_t> dims;
  for (const json::Value& dim : value.as_array()) dims.push_back(dim.as_uint64());
  return Shape(std::move(dims));
}

TreeMetadataEntry::PathKey path_key_from_json(const json::Value& value) {
  const json::Object& object = value.as_object();
  const std::uint64_t type = object.at("key_type").as_uint64();
  if (type != 1 && type != 2) throw Error(ErrorKind::kCorrupt, "key_type is " + std::to_string(type) + ", expected 1 or 2");
  return {object.at("key").as_string(), static_cast<TreeMetadataEntry::KeyType>(type)};
}

TreeMetadataEntry entry_from_json(const json::Object& object) {
  TreeMetadataEntry entry;
  for (const json::Value& key : object.at("key_metadata").as_array()) entry.path.push_back(path_key_from_json(key));
  const json::Object& value = object.at("value_metadata").as_object();
  entry.value_type = value.at("value_type").as_string();
  const json::Value* write_shape = value.find("write_shape");
  if (write_shape != nullptr && !write_shape->is_null()) entry.write_shape = shape_from_json(*write_shape);
  return entry;
}

void parse_private_part(const json::Value& value, TreeMetadata& metadata) {
  const json::Object& object = value.as_object();
  const std::uint64_t version = object.at("version").as_uint64();
  if (version != kFormatVersion) {
    throw Error(ErrorKind::kCorrupt,
                "format version is " + std::to_string(version) + ", this perdure reads " + std::to_string(kFormatVersion));
  }
  for (const json::Value& file : object.at("private_files").as_array()) metadata.private_files.push_back(file.as_string());
  metadata.is_ours = true;
}

}  // namespace

bool TreeMetadataEntry::is_empty_value() const {
  const ValueType* type = find_value_type(value_type);
  return type != nullptr && (type->value_class == ValueClass::kNone || type->value_class == ValueClass::kEmptyContainer);
}

std::string TreeMetadataEntry::name() const {
  std::string joined;
  for (const PathKey& part : path) {
    if (&part != path.data()) joined += '.';
    joined += part.key;
  }
  return joined;
}

std::string encode_tree_metadata(const TreeMetadata& metadata) {
  std::string out;
  out.reserve(256 * metadata.entries.size() + 256);
  out += "{\"tree_metadata\":{";
  for (const TreeMetadataEntry& entry : metadata.entries) {
    if (&entry != metadata.entries.data()) out += ',';
    append_entry(out, entry);
  }
  out += '}';
  if (metadata.use_ocdbt) out += *metadata.use_ocdbt ? ",\"use_ocdbt\":true" : ",\"use_ocdbt\":false";
  out += metadata.use_zarr3 ? ",\"use_zarr3\":true" : ",\"use_zarr3\":false";
  out += ",\"store_array_data_equal_to_fill_value\":true,\"custom_metadata\":" + json::dump(metadata.custom_metadata);
  if (metadata.value_metadata_tree) {
    out += ",\"value_metadata_tree\":";
    json::append_quoted(out, json::dump(*metadata.value_metadata_tree));  // JSON inside a string, as Orbax has it
  }
  if (metadata.is_ours) {
    json::append_quoted(out += ',', kPrivateKey);
    out += ':' + json::dump(private_part(metadata.private_files));
  }
  out += '}';
  return out;
}

TreeMetadata parse_tree_metadata(std::string_view text) {
  const json::Value document = json::parse(text);
  const json::Object& object = document.as_object();
  TreeMetadata metadata;
  for (const auto& member : object.at("tree_metadata").as_object().members()) {
    with_note([&] { return "tree_metadata entry " + member.first; },
              [&] { metadata.entries.push_back(entry_from_json(member.second.as_object())); });
  }
  const auto find = [&](std::string_view key) {
    const json::Value* value = object.find(key);
    return value == nullptr || value->is_null() ? nullptr : value;
  };
  if (const json::Value* use_ocdbt = find("use_ocdbt")) metadata.use_ocdbt = use_ocdbt->as_bool();
  if (const json::Value* use_zarr3 = find("use_zarr3")) metadata.use_zarr3 = use_zarr3->as_bool();
  if (const json::Value* custom = find("custom_metadata")) metadata.custom_metadata = *custom;
  if (const json::Value* tree = find("value_metadata_tree")) metadata.value_metadata_tree = json::parse(tree->as_string());
  if (const json::Value* ours = find(kPrivateKey)) {
    with_note([] { return "key 'perdure'"; }, [&] { parse_private_part(*ours, metadata); });
  }
  return metadata;
}

}  // namespace perdure::checkpoint
