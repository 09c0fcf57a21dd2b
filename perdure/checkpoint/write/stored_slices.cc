#include "perdure/checkpoint/write/stored_slices.h"

#include <algorithm>

#include "perdure/base/checksum.h"
#include "perdure/checkpoint/plan/slices.h"

namespace perdure::checkpoint {
namespace {

/// An array that holds slices, written. Offsets are of its bytes.
class StoredBase {
 public:
  StoredBase(const PlannedArray& array, const std::vector<StoredValue>& stored) : array_(array), stored_(stored) {}

  StoredValue slice(std::uint64_t offset_bytes, std::uint64_t size_bytes) const {
    StoredValue slice;
    slice.offset = value(offset_bytes / chunk_bytes()).offset + offset_bytes % chunk_bytes();
    slice.size_bytes = size_bytes;
    slice.crc32c = crc(offset_bytes, offset_bytes + size_bytes);
    return slice;
  }

 private:
  std::uint64_t chunk_bytes() const { return array_.chunk_bytes(); }
  const StoredValue& value(std::uint64_t chunk) const { return stored_[array_.first_value + chunk]; }

  std::uint32_t crc(std::uint64_t begin, std::uint64_t end) const {
    std::uint32_t crc = 0;
    while (begin < end) {
      const std::uint64_t chunk = begin / chunk_bytes();
      const std::uint64_t stop = std::min(end, (chunk + 1) * chunk_bytes());
      const std::uint32_t part = crc32c_behind(crc_before(chunk, begin), crc_before(chunk, stop), stop - begin);
      crc = crc32c_combine(crc, part, stop - begin);
      begin = stop;
    }
    return crc;
  }

  /// Of the bytes of a chunk before `offset`, which is a cut or an end of the chunk.
  std::uint32_t crc_before(std::uint64_t chunk, std::uint64_t offset) const {
    if (offset == chunk * chunk_bytes()) return 0;
    if (offset == (chunk + 1) * chunk_bytes()) return value(chunk).crc32c;
    const auto cuts = cuts_within(array_, chunk);
    return value(chunk).cut_crc32c[static_cast<std::size_t>(std::ranges::lower_bound(cuts, offset) - cuts.begin())];
  }

  const PlannedArray& array_;
  const std::vector<StoredValue>& stored_;
};

}  // namespace

void find_stored_slices(const SavePlan& plan, std::vector<StoredValue>& stored) {
  for (const PlannedArray& array : plan.arrays) {
    if (!array.sharing.slice_of) continue;
    const StoredBase base(plan.arrays[array.sharing.slice_of->array], stored);
    for (std::uint64_t chunk = 0; chunk < array.chunk_count; ++chunk)
      stored[array.first_value + chunk] = base.slice(offset_in_base(array, chunk), array.chunk_bytes());
  }
}

}  // namespace perdure::checkpoint
