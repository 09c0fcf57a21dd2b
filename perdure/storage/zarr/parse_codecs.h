#pragma once
// The `codecs` of zarr.json: array to array (transpose), one array to bytes (bytes, sharding_indexed), bytes to bytes.
#include <string_view>

#include "perdure/storage/zarr/metadata.h"

namespace perdure::storage::zarr {

/// {"name": ..., "configuration": ...}; borrowed from the value, configuration is a null without one.
struct NamedConfiguration {
  std::string_view name;
  const json::Value* configuration;
};
NamedConfiguration parse_named(const json::Value& value);

/// The chain of chunks of `chunk_shape`. Throws kCorrupt and kInvalid naming the codec.
ChunkCodecs parse_codecs(const json::Value& list, const Shape& chunk_shape, DType dtype);

}  // namespace perdure::storage::zarr
