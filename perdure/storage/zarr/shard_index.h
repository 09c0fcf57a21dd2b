#pragma once
// The index of a shard: where each inner chunk lies. Its entries are claims until they have been compared with the shard's size.
#include <cstdint>
#include <optional>

#include "perdure/storage/zarr/byte_source.h"
#include "perdure/storage/zarr/metadata.h"

namespace perdure::storage::zarr {

class ShardIndex {
 public:
  /// Reads and checks the index of a shard with `grid` inner chunks. Throws kCorrupt.
  ShardIndex(const ByteSource& shard, const Sharding& sharding, const Shape& grid);

  /// The bytes of an inner chunk; nullopt if it is missing. Throws kCorrupt if they do not lie inside the shard.
  std::optional<ByteSource> find(const Shape& index) const;

  /// Bytes of the index of `chunk_count` chunks, codecs applied. Throws kInvalid on overflow.
  static std::uint64_t size_bytes(const Sharding& sharding, std::uint64_t chunk_count);

 private:
  const ByteSource& shard_;
  Shape grid_;
  Blob entries_;  // offset and size of each chunk in C order of the grid
  bool big_endian_;
};

}  // namespace perdure::storage::zarr
