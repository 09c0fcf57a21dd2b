#include "perdure/storage/zarr/metadata.h"

#include <algorithm>

namespace perdure::storage::zarr {
namespace {

constexpr std::uint64_t kShardExpansionMax = 1 << 21;  // inner chunks need not be there

}  // namespace

bool ChunkCodecs::has_crc32c() const { return !bytes_codecs.empty() && bytes_codecs.back()->is_crc32c(); }

bool ChunkCodecs::is_plain() const {
  return std::ranges::is_sorted(transpose) && !big_endian && !sharding && bytes_codecs.size() == (has_crc32c() ? 1u : 0u);
}

std::uint64_t ChunkCodecs::expansion_max() const {
  std::uint64_t product = sharding ? kShardExpansionMax : 1;
  for (const auto& codec : bytes_codecs) {
    if (__builtin_mul_overflow(product, storage::expansion_max(*codec), &product)) return ~std::uint64_t{0};
  }
  return product;
}

Shape ArrayMetadata::grid() const {
  Shape grid = shape;
  for (std::size_t axis = 0; axis < grid.rank(); ++axis) grid[axis] = ceil_divide(shape[axis], chunk_shape[axis]);
  return grid;
}

std::string ArrayMetadata::chunk_key(const Shape& chunk_index) const {
  std::string key = v2_keys ? "" : "c";
  for (const std::uint64_t index : chunk_index) {
    if (!key.empty()) key += separator;
    key += std::to_string(index);
  }
  return key.empty() ? "0" : key;
}

std::uint64_t ArrayMetadata::chunk_bytes() const { return checked_multiply(chunk_shape.element_count(), itemsize(dtype)); }

}  // namespace perdure::storage::zarr
