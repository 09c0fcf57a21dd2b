#include <algorithm>

#include "perdure/storage/zarr/element_bytes.h"
#include "perdure/storage/zarr/fill_value.h"
#include "perdure/storage/zarr/metadata.h"
#include "perdure/storage/zarr/parse_members.h"

namespace perdure::storage::zarr {
namespace {

struct StoredDType {
  DType dtype;
  bool big_endian;
};

std::optional<DType> find_typestr(std::string_view typestr) {
  for (const DTypeInfo& row : dtype_table()) {
    if (row.has_zarr_name && row.zarr2 == typestr) return row.dtype;
  }
  return std::nullopt;
}

/// "<f4", ">f4", "|u1", "bfloat16".
StoredDType parse_typestr(const json::Value& value) {
  if (value.is_array()) throw Error(ErrorKind::kInvalid, "structured dtypes are not supported");
  const std::string& typestr = value.as_string();
  if (const auto dtype = find_typestr(typestr)) return {*dtype, false};
  if (typestr.size() > 1 && typestr[0] == '>') {
    if (const auto dtype = find_typestr("<" + typestr.substr(1))) return {*dtype, true};
  }
  if (typestr.size() > 1 && (typestr[0] == '>' || typestr[0] == '<')) {
    if (const auto dtype = find_typestr("|" + typestr.substr(1))) return {*dtype, false};
  }
  throw Error(ErrorKind::kInvalid, "unknown dtype '" + typestr + "'");
}

bool parse_is_fortran(const json::Value& value) {
  const std::string& order = value.as_string();
  if (order != "C" && order != "F") throw Error(ErrorKind::kCorrupt, "expected \"C\" or \"F\", found \"" + order + "\"");
  return order == "F";
}

char parse_separator(const json::Value& value) {
  const std::string& separator = value.as_string();
  if (separator != "." && separator != "/")
    throw Error(ErrorKind::kCorrupt, "expected \".\" or \"/\", found \"" + separator + "\"");
  return separator[0];
}

std::vector<std::shared_ptr<const Codec>> parse_compressor(const json::Value& value, DType dtype) {
  if (value.is_null()) return {};
  const std::string& id = value.as_object().at("id").as_string();
  return {make_codec(id, value, {.zarr_format = 2, .itemsize = itemsize(dtype)})};
}

void refuse_filters(const json::Object& members) {
  const json::Value* filters = members.find("filters");
  if (filters == nullptr || filters->is_null() || (filters->is_array() && filters->as_array().empty())) return;
  throw Error(ErrorKind::kInvalid, "filters are not supported");
}

}  // namespace

ArrayMetadata parse_zarr2(std::string_view text) { return parse_zarr2(text, ""); }

ArrayMetadata parse_zarr2(std::string_view text, std::string_view attributes) {
  const json::Value document = json::parse(text, {.depth_max = kJsonDepthMax});
  const json::Object& members = document.as_object();
  parse_member(members, "zarr_format", [](const json::Value& value) { check_zarr_format(value, 2); });
  ArrayMetadata metadata;
  metadata.zarr_format = 2;
  metadata.v2_keys = true;
  metadata.separator =
      members.find("dimension_separator") == nullptr ? '.' : parse_member(members, "dimension_separator", parse_separator);
  const StoredDType stored = parse_member(members, "dtype", parse_typestr);
  metadata.shape = parse_member(members, "shape", parse_shape);
  metadata.chunk_shape = parse_member(members, "chunks", parse_shape);
  check_chunk_shape(metadata.shape, metadata.chunk_shape, stored.dtype);
  metadata.codecs.big_endian = stored.big_endian;
  if (parse_member(members, "order", parse_is_fortran)) {
    for (std::size_t axis = metadata.shape.rank(); axis-- > 0;) metadata.codecs.transpose.push_back(axis);
  }
  refuse_filters(members);
  metadata.codecs.bytes_codecs =
      parse_member(members, "compressor", [&](const json::Value& value) { return parse_compressor(value, stored.dtype); });
  metadata.dtype = stored.dtype;
  if (!attributes.empty()) metadata.dtype = private_dtype(json::parse(attributes, {.depth_max = kJsonDepthMax}), stored.dtype);
  metadata.fill_value =
      parse_member(members, "fill_value", [&](const json::Value& value) { return parse_fill_value(value, stored.dtype); });
  from_stored_bytes(metadata.fill_value, metadata.dtype);
  return metadata;
}

}  // namespace perdure::storage::zarr
