#include "perdure/storage/zarr/shard_index.h"

#include <algorithm>
#include <string>

#include "perdure/base/checksum.h"
#include "perdure/base/error.h"
#include "perdure/storage/zarr/chunk_grid.h"

namespace perdure::storage::zarr {
namespace {

constexpr std::uint64_t kEntryBytes = 8 + 8;  // offset, size
constexpr std::uint64_t kMissing = ~std::uint64_t{0};

std::uint64_t read_u64(ByteView bytes, bool big_endian) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[big_endian ? i : sizeof value - 1 - i]);
  }
  return value;
}

}  // namespace

std::uint64_t ShardIndex::size_bytes(const Sharding& sharding, std::uint64_t chunk_count) {
  return checked_add(checked_multiply(chunk_count, kEntryBytes), kCrc32cBytes * sharding.index->bytes_codecs.size());
}

ShardIndex::ShardIndex(const ByteSource& shard, const Sharding& sharding, const Shape& grid)
    : shard_(shard), grid_(grid), big_endian_(sharding.index->big_endian) {
  const std::uint64_t size = size_bytes(sharding, grid.element_count());
  if (size > shard.size_bytes()) {
    throw Error(ErrorKind::kCorrupt, "expected a shard index of " + std::to_string(size) + " bytes, found a shard of " +
                                         std::to_string(shard.size_bytes()));
  }
  with_note([] { return std::string("index of the shard"); },
            [&] {
              entries_ = shard.part(sharding.index_at_end ? shard.size_bytes() - size : 0, size).read_all();
              const auto& codecs = sharding.index->bytes_codecs;
              for (auto codec = codecs.rbegin(); codec != codecs.rend(); ++codec) entries_ = (*codec)->decode(entries_, size);
            });
}

std::optional<ByteSource> ShardIndex::find(const Shape& index) const {
  const ByteView entry = entries_.view().subspan(number_of_chunk(grid_, index) * kEntryBytes, kEntryBytes);
  const std::uint64_t offset = read_u64(entry, big_endian_), size = read_u64(entry.subspan(8), big_endian_);
  if (offset == kMissing && size == kMissing) return std::nullopt;
  if (offset > shard_.size_bytes() || size > shard_.size_bytes() - offset) {
    throw Error(ErrorKind::kCorrupt, "inner chunk at byte " + std::to_string(offset) + " with " + std::to_string(size) +
                                         " bytes does not lie in a shard of " + std::to_string(shard_.size_bytes()));
  }
  return shard_.part(offset, size);
}

}  // namespace perdure::storage::zarr
