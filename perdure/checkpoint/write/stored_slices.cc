#include "perdure/checkpoint/write/stored_slices.h"

#include <algorithm>
#include <unordered_map>

#include "perdure/base/checksum.h"
#include "perdure/checkpoint/plan/slices.h"

namespace perdure::checkpoint {
namespace {

/// An array that holds slices, written. Offsets are of its bytes.
class StoredBase {
 public:
  StoredBase(const SavePlan& plan, const PlannedArray& array, const std::vector<StoredValue>& stored)
      : plan_(plan), array_(array), stored_(stored) {
    crc_before_chunk_.reserve(array.chunk_count + 1);
    for (std::uint64_t chunk = 0; chunk < array.chunk_count; ++chunk) {
      const std::uint32_t chunk_crc = stored_[written_value(chunk)].crc32c;
      crc_before_chunk_.push_back(crc32c_combine(crc_before_chunk_.back(), chunk_crc, array.chunk_bytes()));
    }
  }

  StoredValue slice(std::uint64_t offset_bytes, std::uint64_t size_bytes) const {
    StoredValue slice;
    slice.offset = stored_[written_value(offset_bytes / array_.chunk_bytes())].offset + offset_bytes % array_.chunk_bytes();
    slice.size_bytes = size_bytes;
    slice.crc32c = crc32c_behind(crc_before(offset_bytes), crc_before(offset_bytes + size_bytes), size_bytes);
    return slice;
  }

 private:
  /// The value that is written for a chunk: its own, or one with equal bytes.
  std::size_t written_value(std::uint64_t chunk) const {
    const std::size_t own = array_.first_value + chunk;
    return plan_.values[own].same_as.value_or(own);
  }

  /// Of the bytes before `offset`, which is a cut or an end of a chunk.
  std::uint32_t crc_before(std::uint64_t offset) const {
    const std::uint64_t chunk = offset / array_.chunk_bytes(), in_chunk = offset % array_.chunk_bytes();
    if (in_chunk == 0) return crc_before_chunk_[chunk];
    const std::size_t written = written_value(chunk);
    const PlannedValue& value = plan_.values[written];
    const auto cuts = cuts_within(plan_.arrays[value.array], value.chunk);
    const auto cut = std::ranges::lower_bound(cuts, value.chunk * array_.chunk_bytes() + in_chunk);
    const std::uint32_t crc = stored_[written].cut_crc32c[static_cast<std::size_t>(cut - cuts.begin())];
    return crc32c_combine(crc_before_chunk_[chunk], crc, in_chunk);
  }

  const SavePlan& plan_;
  const PlannedArray& array_;
  const std::vector<StoredValue>& stored_;
  std::vector<std::uint32_t> crc_before_chunk_ = {0};  // of the bytes before each chunk, and of all
};

}  // namespace

void find_stored_slices(const SavePlan& plan, std::vector<StoredValue>& stored) {
  std::unordered_map<std::size_t, StoredBase> bases;
  for (const PlannedArray& array : plan.arrays) {
    if (!array.sharing.slice_of) continue;
    const std::size_t index = array.sharing.slice_of->array;
    const StoredBase& base = bases.try_emplace(index, plan, plan.arrays[index], stored).first->second;
    for (std::uint64_t chunk = 0; chunk < array.chunk_count; ++chunk)
      stored[array.first_value + chunk] = base.slice(offset_in_base(array, chunk), array.chunk_bytes());
  }
}

}  // namespace perdure::checkpoint
