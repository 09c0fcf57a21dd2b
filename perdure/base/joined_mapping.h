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

/// A private, writable mapping as of File::map. nullopt where that cannot be: a range does not start on a page, one but the last
/// does not end on one, or the file has no descriptor.
std::optional<Blob> map_joined(std::span<const FileRange> ranges);

}  // namespace perdure
