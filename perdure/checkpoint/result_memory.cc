#include "perdure/checkpoint/result_memory.h"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "perdure/base/buffer_pool.h"
#include "perdure/base/error.h"
#include "perdure/base/shape.h"

namespace perdure::checkpoint {
namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kSmallBytesMax = 64 << 10;
constexpr std::uint64_t kSlabBytesMax = 4 << 20;  // one small array that is kept keeps its slab

std::uint64_t machine_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes)
                                     : ~std::uint64_t{0};
}

void check_total(std::span<const std::uint64_t> sizes, std::uint64_t bytes_max) {
  std::uint64_t total = 0;
  for (const std::uint64_t size : sizes) total = checked_add(total, size);
  const std::uint64_t limit = std::min(bytes_max, machine_bytes());
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

std::vector<ResultMemory> allocate_results(std::span<const std::uint64_t> sizes, std::uint64_t bytes_max) {
  check_total(sizes, bytes_max);
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
