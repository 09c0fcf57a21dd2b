#include <algorithm>
#include <charconv>
#include <utility>

#include "perdure/storage/zarr/metadata.h"

namespace perdure::storage::zarr {
namespace {

constexpr std::size_t kTextSizeLikely = 512;

void append(std::string& out, std::int64_t number) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

template <class Numbers>
void append_list(std::string& out, const Numbers& numbers, std::uint64_t least = 0) {
  out += '[';
  for (const char* separator = ""; const std::uint64_t number : numbers) {
    out += std::exchange(separator, ",");
    append(out, static_cast<std::int64_t>(std::max(number, least)));
  }
  out += ']';
}

/// Zero, in the JSON type that the data type as stored asks for.
std::string_view zero_text(DType dtype) {
  if (!info(dtype).has_zarr_name) return "0";
  switch (info(dtype).kind) {
    case DTypeKind::kBool: return "false";
    case DTypeKind::kInt:
    case DTypeKind::kUint: return "0";
    case DTypeKind::kFloat: return "0.0";
    case DTypeKind::kComplex: return "[0.0,0.0]";
  }
  return "0";
}

void append_private_note(std::string& out, DType dtype) {
  out += R"({"perdure":{"dtype":")";
  out += name(dtype);
  out += R"("}})";
}

/// `use(name, configuration or null)` for each codec behind `bytes`, in the order of writing: what metadata names and what chunks pass
/// through are made of it.
template <class Use>
void for_each_codec(const WriteFormat& format, DType dtype, Use&& use) {
  if (format.compression) {
    const CodecMetadata chosen = chosen_codec(*format.compression, {format.zarr_format, itemsize(dtype)});
    use(chosen.name, chosen.configuration);
  }
  if (format.crc32c && format.zarr_format == 3) use("crc32c", json::Value());
}

void append_compressor(std::string& out, DType dtype, const WriteFormat& format) {
  json::Value compressor;
  for_each_codec(format, dtype, [&](std::string_view name, const json::Value& configuration) {
    json::Object members{{"id", name}};
    for (const auto& [key, value] : configuration.as_object().members()) members.add(key, value);
    compressor = std::move(members);
  });
  out += json::dump(compressor);
}

void append_codecs(std::string& out, DType dtype, const WriteFormat& format) {
  out += '[';
  if (!format.axis_order.empty()) {
    out += R"({"name":"transpose","configuration":{"order":)";
    append_list(out, format.axis_order);
    out += "}},";
  }
  out += itemsize(dtype) == 1 ? R"({"name":"bytes"})" : R"({"name":"bytes","configuration":{"endian":"little"}})";
  for_each_codec(format, dtype, [&](std::string_view name, const json::Value& configuration) {
    out += R"(,{"name":")";
    out += name;
    out += '"';
    if (!configuration.is_null()) out += R"(,"configuration":)" + json::dump(configuration);
    out += '}';
  });
  out += ']';
}

std::string zarr2_text(DType dtype, const Shape& shape, const Shape& chunk_shape, const WriteFormat& format) {
  std::string out;
  out.reserve(kTextSizeLikely);
  out += R"({"chunks":)";
  append_list(out, chunk_shape, 1);
  out += R"(,"compressor":)";
  append_compressor(out, dtype, format);
  out += R"(,"dimension_separator":".","dtype":")";
  out += info(dtype).zarr2;
  out += R"(","fill_value":null,"filters":null,"order":")";
  out += format.axis_order.empty() ? 'C' : 'F';
  out += R"(","shape":)";
  append_list(out, shape);
  out += R"(,"zarr_format":2})";
  return out;
}

std::string zarr3_text(DType dtype, const Shape& shape, const Shape& chunk_shape, const WriteFormat& format) {
  std::string out;
  out.reserve(kTextSizeLikely);
  out += R"({"zarr_format":3,"node_type":"array","shape":)";
  append_list(out, shape);
  out += R"(,"data_type":")";
  out += info(dtype).zarr3;
  out += R"(","chunk_grid":{"name":"regular","configuration":{"chunk_shape":)";
  append_list(out, chunk_shape, 1);
  out += R"(}},"chunk_key_encoding":{"name":"default"},"fill_value":)";
  out += zero_text(dtype);
  out += R"(,"codecs":)";
  append_codecs(out, dtype, format);
  if (!info(dtype).has_zarr_name) {
    out += R"(,"attributes":)";
    append_private_note(out, dtype);
  }
  out += '}';
  return out;
}

}  // namespace

std::string metadata_text(DType dtype, const Shape& shape, const Shape& chunk_shape, const WriteFormat& format) {
  return (format.zarr_format == 2 ? zarr2_text : zarr3_text)(dtype, shape, chunk_shape, format);
}

std::string attributes_text(DType dtype, const WriteFormat& format) {
  std::string out;
  if (format.zarr_format == 2 && !info(dtype).has_zarr_name) append_private_note(out, dtype);
  return out;
}

ArrayMetadata make_metadata(DType dtype, const Shape& shape, const Shape& chunk_shape, const WriteFormat& format) {
  ArrayMetadata metadata;
  metadata.zarr_format = format.zarr_format;
  metadata.shape = shape;
  metadata.dtype = dtype;
  metadata.chunk_shape = chunk_shape;
  for (std::size_t axis = 0; axis < chunk_shape.rank(); ++axis)
    metadata.chunk_shape[axis] = std::max<std::uint64_t>(chunk_shape[axis], 1);
  metadata.fill_value.resize(itemsize(dtype));
  metadata.codecs.transpose = format.axis_order;
  metadata.v2_keys = format.zarr_format == 2;
  metadata.separator = metadata.v2_keys ? '.' : '/';
  for_each_codec(format, dtype, [&](std::string_view name, const json::Value& configuration) {
    metadata.codecs.bytes_codecs.push_back(make_codec(name, configuration, {format.zarr_format, itemsize(dtype)}));
  });
  return metadata;
}

}  // namespace perdure::storage::zarr
