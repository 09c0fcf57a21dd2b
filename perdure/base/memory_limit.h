#pragma once
// How much memory there is for this process, so that a load that cannot fit is refused instead of killed.
#include <cstdint>

#include "perdure/base/file_system.h"

namespace perdure {

/// Bytes: of the machine, or fewer if a control group (v1 or v2) of this process says so. `fs` has /proc and /sys.
std::uint64_t memory_bytes_max(FileSystem& fs);

}  // namespace perdure
