#pragma once
// What Python says of how one array is stored. Every file that casts it includes nanobind's casters of tuple, optional, string, vector.
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "perdure/base/dtype.h"
#include "perdure/checkpoint/save.h"

namespace perdure::python {

/// dtype name, chunk_byte_size, shard_axes.
using StorageOptions = std::tuple<std::optional<std::string>, std::optional<std::uint64_t>, std::vector<std::uint64_t>>;

inline ArraySaveOptions with_storage_options(ArraySaveOptions options, const StorageOptions& own) {
  const auto& [dtype, chunk_byte_size, shard_axes] = own;
  if (dtype) options.dtype = dtype_from_name(*dtype);
  if (chunk_byte_size) options.chunk_bytes_divided = *chunk_byte_size;
  options.shard_axes = shard_axes;
  return options;
}

}  // namespace perdure::python
