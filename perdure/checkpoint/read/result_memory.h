#pragma once
// Memory for the arrays that a load gives back: large ones alone, so that each can be freed; small ones side by side in slabs.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "perdure/base/bytes.h"
#include "perdure/base/file_system.h"

namespace perdure::checkpoint {

struct ResultMemory {
  std::byte* data = nullptr;  // aligned to 64 bytes; not null, also for no bytes
  std::shared_ptr<const void> owner;
};

/// Uninitialised memory for results of these sizes. Throws kInvalid, before anything is allocated, when they need more than `bytes_max` or
/// than there is for this process (memory_limit.h). `fs` has /proc and /sys: another one in tests only.
std::vector<ResultMemory> allocate_results(std::span<const std::uint64_t> sizes, std::uint64_t bytes_max,
                                           FileSystem& fs = posix_file_system());

}  // namespace perdure::checkpoint
