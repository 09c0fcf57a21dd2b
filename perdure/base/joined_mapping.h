#pragma once
// Ranges of files, mapped back to back as one piece of memory.
#include <cstdint>
#include <optional>
#include <span>

#include "perdure/base/file_system.h"

namespace perdure {

struct FileRange {
  File* file = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;
};

/// A private, writable mapping as of File::map. Ranges that all start at one place in their pages share a page at each seam: there
/// the end of the one is copied in front of the next. nullopt where that cannot be: ranges start at different places, one but the
/// last is not whole pages long, or a file has no descriptor.
std::optional<Blob> map_joined(std::span<const FileRange> ranges);

}  // namespace perdure
