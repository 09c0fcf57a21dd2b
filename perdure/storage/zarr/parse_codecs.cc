#include "perdure/storage/zarr/parse_codecs.h"

#include <algorithm>

#include "perdure/storage/zarr/parse_members.h"

namespace perdure::storage::zarr {
namespace {

constexpr int kShardingDepthMax = 4;  // shards in shards; more has no use
const json::Value kNoConfiguration;

struct ChainContext {
  Shape shape;  // as the codec at hand sees it: permuted by each transpose
  DType dtype;
  int sharding_depth;
};

ChunkCodecs parse_chain(const json::Value& list, ChainContext context);

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::kCorrupt, message); }

/// Applies `order` on top of the transposes before it.
void add_transpose(const json::Value& configuration, ChainContext& context, std::vector<std::size_t>& transpose) {
  const std::size_t rank = context.shape.rank();
  const Shape order = parse_member(configuration.as_object(), "order", parse_shape);
  std::vector<bool> seen(rank, false);
  if (order.rank() != rank) fail("order " + order.str() + " for rank " + std::to_string(rank));
  for (const std::uint64_t axis : order) {
    if (axis >= rank || seen[axis]) fail("order " + order.str() + " is no permutation");
    seen[axis] = true;
  }
  std::vector<std::size_t> composed;
  Shape permuted = context.shape;
  for (std::size_t i = 0; i < rank; ++i) {
    composed.push_back(transpose.empty() ? order[i] : transpose[order[i]]);
    permuted[i] = context.shape[order[i]];
  }
  transpose = std::move(composed);
  context.shape = std::move(permuted);
}

bool parse_big_endian(const json::Value& configuration, DType dtype) {
  const json::Value* endian = configuration.is_null() ? nullptr : configuration.as_object().find("endian");
  if (endian == nullptr || endian->is_null()) {
    if (itemsize(dtype) > 1) fail("missing key 'endian'");
    return false;
  }
  const std::string& text = endian->as_string();
  if (text != "little" && text != "big") fail("expected endian \"little\" or \"big\", found \"" + text + "\"");
  return text == "big" && itemsize(dtype) > 1;
}

/// The index must have a size that its shape tells.
void check_index_codecs(const ChunkCodecs& codecs) {
  const bool fixed_size = std::ranges::all_of(codecs.bytes_codecs, [](const auto& codec) { return codec->is_crc32c(); });
  if (!fixed_size || codecs.sharding || !codecs.transpose.empty()) {
    throw Error(ErrorKind::kInvalid, "index_codecs other than bytes and crc32c are not supported");
  }
}

bool parse_index_at_end(const json::Object& members) {
  const json::Value* location = members.find("index_location");
  if (location == nullptr) return true;
  const std::string& text = location->as_string();
  if (text != "start" && text != "end") fail("expected index_location \"start\" or \"end\", found \"" + text + "\"");
  return text == "end";
}

Sharding parse_sharding(const json::Value& configuration, const ChainContext& context) {
  if (context.sharding_depth == kShardingDepthMax) {
    throw Error(ErrorKind::kInvalid, "more than " + std::to_string(kShardingDepthMax) + " levels of sharding_indexed");
  }
  const json::Object& members = configuration.as_object();
  Sharding sharding;
  sharding.chunk_shape = parse_member(members, "chunk_shape", parse_shape);
  check_chunk_shape(context.shape, sharding.chunk_shape, context.dtype);
  Shape index_shape = context.shape;
  for (std::size_t axis = 0; axis < index_shape.rank(); ++axis) {
    if (context.shape[axis] % sharding.chunk_shape[axis] != 0) {
      fail("inner chunk shape " + sharding.chunk_shape.str() + " does not divide " + context.shape.str());
    }
    index_shape[axis] = context.shape[axis] / sharding.chunk_shape[axis];
  }
  const auto chain = [&](const Shape& shape, DType dtype) {
    return [&, dtype](const json::Value& list) {
      return std::make_shared<const ChunkCodecs>(parse_chain(list, {shape, dtype, context.sharding_depth + 1}));
    };
  };
  sharding.inner = parse_member(members, "codecs", chain(sharding.chunk_shape, context.dtype));
  sharding.index = parse_member(members, "index_codecs", chain(index_shape, DType::kUint64));
  check_index_codecs(*sharding.index);
  sharding.index_at_end = parse_index_at_end(members);
  return sharding;
}

/// One codec of the chain; `has_serializer` is true once the elements are bytes.
void add_codec(const NamedConfiguration& codec, ChainContext& context, ChunkCodecs& codecs, bool& has_serializer) {
  if (codec.name == "transpose" || codec.name == "bytes" || codec.name == "sharding_indexed") {
    if (has_serializer) fail("expected a bytes-to-bytes codec, found '" + std::string(codec.name) + "'");
    has_serializer = codec.name != "transpose";
    if (codec.name == "transpose") add_transpose(*codec.configuration, context, codecs.transpose);
    if (codec.name == "bytes") codecs.big_endian = parse_big_endian(*codec.configuration, context.dtype);
    if (codec.name == "sharding_indexed") codecs.sharding = parse_sharding(*codec.configuration, context);
    return;
  }
  auto made = make_codec(codec.name, *codec.configuration, {.zarr_format = 3, .itemsize = itemsize(context.dtype)});
  if (!has_serializer) fail("'" + std::string(codec.name) + "' stands before 'bytes'");
  codecs.bytes_codecs.push_back(std::move(made));
}

ChunkCodecs parse_chain(const json::Value& list, ChainContext context) {
  ChunkCodecs codecs;
  bool has_serializer = false;
  for (const json::Value& item : list.as_array()) {
    const NamedConfiguration codec = parse_named(item);
    with_note([&] { return "codec '" + std::string(codec.name) + "'"; },
              [&] { add_codec(codec, context, codecs, has_serializer); });
  }
  if (!has_serializer) fail("no array-to-bytes codec");
  return codecs;
}

}  // namespace

NamedConfiguration parse_named(const json::Value& value) {
  if (value.is_string()) return {value.as_string(), &kNoConfiguration};
  const json::Object& members = value.as_object();
  const json::Value* configuration = members.find("configuration");
  return {members.at("name").as_string(), configuration != nullptr ? configuration : &kNoConfiguration};
}

ChunkCodecs parse_codecs(const json::Value& list, const Shape& chunk_shape, DType dtype) {
  return parse_chain(list, {chunk_shape, dtype, 0});
}

}  // namespace perdure::storage::zarr
