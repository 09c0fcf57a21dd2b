#include "perdure/checkpoint/plan/shared_values.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

#include "perdure/base/checksum.h"
#include "perdure/checkpoint/plan/slices.h"
#include "perdure/storage/zarr/chunk_encoding.h"

namespace perdure::checkpoint {
namespace {

constexpr std::size_t kSampleCount = 8;
constexpr std::size_t kSampleBytes = 64;
/// Of one fingerprint: many arrays that differ in few places must not be compared with all others.
constexpr int kCandidatesMax = 4;

bool same_memory(const PlannedArray& a, const PlannedArray& b) {
  const ArrayView& x = a.pieces[0].view;
  const ArrayView& y = b.pieces[0].view;
  return a.part.has_value() == b.part.has_value() && x.data == y.data && x.dtype == y.dtype && x.shape == y.shape &&
         x.strides == y.strides && a.metadata.dtype == b.metadata.dtype && a.metadata.chunk_shape == b.metadata.chunk_shape &&
         a.format == b.format;
}

/// Of what same_memory compares, as much as tells apart the views of one array.
std::uint64_t hash_of_place(const ArrayView& view) {
  std::uint64_t hash = reinterpret_cast<std::uintptr_t>(view.data);
  for (const std::uint64_t extent : view.shape) hash = hash * 0x9e3779b97f4a7c15 + extent;
  return hash;
}

/// The bytes of a whole chunk before codecs, if they lie in memory; empty if not.
ByteView bytes_in_memory(const PlannedArray& array, std::uint64_t chunk) {
  const storage::zarr::ChunkBytes bytes(array.pieces, array.metadata, chunk);
  const ByteView found = bytes.in_memory();
  return found.size() == bytes.size_bytes() ? found : ByteView{};
}

std::uint32_t fingerprint(ByteView bytes) {
  std::uint32_t crc = static_cast<std::uint32_t>(bytes.size());
  const std::size_t step = (bytes.size() - kSampleBytes) / (kSampleCount - 1);
  for (std::size_t i = 0; i < kSampleCount; ++i) crc = crc32c(bytes.subspan(i * step, kSampleBytes), crc);
  return crc;
}

/// The slices of a chunk that is not written lie in the one that is.
void hand_on_cuts(SavePlan& plan) {
  std::vector<std::pair<std::size_t, std::uint64_t>> found;  // array, cut
  for (const PlannedValue& value : plan.values) {
    const PlannedArray& array = plan.arrays[value.array];
    if (!value.same_as || array.sharing.cuts.empty()) continue;
    const PlannedValue& written = plan.values[*value.same_as];
    for (const std::uint64_t cut : cuts_within(array, value.chunk)) {
      const std::uint64_t cut_in_chunk = cut - value.chunk * array.chunk_bytes();
      found.emplace_back(written.array, written.chunk * array.chunk_bytes() + cut_in_chunk);
    }
  }
  if (found.empty()) return;
  for (const auto& [array, cut] : found) plan.arrays[array].sharing.cuts.push_back(cut);
  std::ranges::for_each(plan.arrays, sort_cuts);
}

}  // namespace

void find_tied_arrays(std::vector<PlannedArray>& arrays) {
  std::unordered_multimap<std::uint64_t, std::size_t> by_place;
  by_place.reserve(arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    PlannedArray& array = arrays[i];
    if (array.pieces.size() != 1 || array.chunk_count == 0) continue;
    const std::uint64_t place = hash_of_place(array.pieces[0].view);
    const auto [begin, end] = by_place.equal_range(place);
    for (auto other = begin; other != end && !array.sharing.tied_to; ++other) {
      if (same_memory(arrays[other->second], array)) array.sharing.tied_to = other->second;
    }
    if (!array.sharing.tied_to) by_place.emplace(place, i);
  }
}

void find_equal_values(SavePlan& plan) {
  std::unordered_multimap<std::uint32_t, std::size_t> by_fingerprint;
  const auto is_equal = [&](std::size_t earlier, ByteView bytes, const PlannedArray& array) {
    const PlannedValue& value = plan.values[earlier];
    const ByteView candidate = bytes_in_memory(plan.arrays[value.array], value.chunk);
    if (candidate.size() != bytes.size() || plan.arrays[value.array].format != array.format) return false;
    return candidate.data() == bytes.data() || std::memcmp(candidate.data(), bytes.data(), bytes.size()) == 0;
  };
  for (std::size_t i = 0; i < plan.values.size(); ++i) {
    PlannedValue& value = plan.values[i];
    const PlannedArray& array = plan.arrays[value.array];
    if (array.chunk_bytes() < kSharedChunkBytesMin || !array.is_fixed() || array.sharing.slice_of) continue;
    const ByteView bytes = bytes_in_memory(array, value.chunk);
    if (bytes.empty()) continue;
    const std::uint32_t print = fingerprint(bytes);
    auto [candidate, end] = by_fingerprint.equal_range(print);
    if (array.sharing.is_joined) candidate = end;  // all its chunks stay together
    for (int tries = 0; candidate != end && tries < kCandidatesMax && !value.same_as; ++candidate, ++tries) {
      if (is_equal(candidate->second, bytes, array)) value.same_as = candidate->second;
    }
    if (!value.same_as) by_fingerprint.emplace(print, i);
  }
  hand_on_cuts(plan);
}

}  // namespace perdure::checkpoint
