#include "perdure/checkpoint/read/result_memory.h"

#include <algorithm>
#include <string>

#include "perdure/base/buffer_pool.h"
#include "perdure/base/error.h"
#include "perdure/base/memory_limit.h"
#include "perdure/base/shape.h"

namespace perdure::checkpoint {
namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kSmallBytesMax = 64 << 10;
constexpr std::uint64_t kNoticedBytesMin = 16 << 20;  // less fits everywhere; asking the kernel costs 50 us
constexpr std::uint64_t kSlabBytesMax = 4 << 20;      // one small array that is kept keeps its slab

void check_total(std::span<const std::uint64_t> sizes, std::uint64_t bytes_max, FileSystem& fs) {
  std::uint64_t total = 0;
  for (const std::uint64_t size : sizes) total = checked_add(total, size);
  const std::uint64_t limit = total < kNoticedBytesMin ? bytes_max : std::min(bytes_max, memory_bytes_max(fs));
  if (total <= limit) return;
  throw Error(ErrorKind::kInvalid, "the arrays need " + std::to_string(total) + " bytes, the limit is " + std::to_string(limit));
}

/// Bytes of the slab that starts with the small result at `first`.
std::uint64_t slab_bytes(std::span<const std::uint64_t> sizes, std::size_t first) {
  std::uint64_t total = 0;
  for (std::size_t i = first; i < sizes.size(); ++i) {
    if (sizes[i] > kSmallBytesMax) continue;
    const std::uint64_t needed = align_up(sizes[i], kAlignment);
    if (total + needed > kSlabBytesMax) break;
    total += needed;
  }
  return std::max(total, kAlignment);
}

}  // namespace

std::vector<ResultMemory> allocate_results(std::span<const std::uint64_t> sizes, std::uint64_t bytes_max, FileSystem& fs) {
  check_total(sizes, bytes_max, fs);
  std::vector<ResultMemory> results(sizes.size());
  std::shared_ptr<std::byte> slab;
  std::uint64_t slab_size = 0;
  std::uint64_t slab_used = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > kSmallBytesMax) {
      const std::shared_ptr<std::byte> memory = allocate_result(sizes[i]);
      results[i] = {memory.get(), memory};
      continue;
    }
    if (!slab || slab_size - slab_used < sizes[i]) {
      slab_size = slab_bytes(sizes, i);
      slab_used = 0;
      slab = allocate_result(slab_size);
    }
    results[i] = {slab.get() + slab_used, slab};
    slab_used += align_up(sizes[i], kAlignment);
  }
  return results;
}

}  // namespace perdure::checkpoint
