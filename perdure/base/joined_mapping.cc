#include "perdure/base/joined_mapping.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "perdure/base/error.h"
#include "perdure/base/shape.h"

namespace perdure {
namespace {

std::uint64_t page_bytes() { return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)); }

/// Bytes of all ranges together, or 0 if they cannot be joined.
std::uint64_t joined_bytes(std::span<const FileRange> ranges) {
  std::uint64_t total = 0;
  for (const FileRange& range : ranges) {
    const bool is_last = &range == &ranges.back();
    if (range.file->native_handle() < 0 || range.offset % page_bytes() != 0) return 0;
    if (!is_last && range.size_bytes % page_bytes() != 0) return 0;
    const std::uint64_t file_bytes = range.file->size_bytes();
    if (range.offset > file_bytes || range.size_bytes > file_bytes - range.offset) return 0;
    total = checked_add(total, range.size_bytes);
  }
  return total;
}

}  // namespace

std::optional<Blob> map_joined(std::span<const FileRange> ranges) {
  const std::uint64_t total = joined_bytes(ranges);
  if (total == 0) return std::nullopt;
  void* base = ::mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) throw io_error("cannot map", ranges.front().file->path(), errno);
  std::shared_ptr<std::byte> memory(static_cast<std::byte*>(base), [total](std::byte* at) { ::munmap(at, total); });
  std::byte* at = memory.get();
  for (const FileRange& range : ranges) {
    if (range.size_bytes == 0) continue;
    void* mapped = ::mmap(at, range.size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
                          range.file->native_handle(), static_cast<off_t>(range.offset));
    if (mapped == MAP_FAILED) throw io_error("cannot map", range.file->path(), errno);
    at += range.size_bytes;
  }
  return Blob(ByteView(memory.get(), total), memory);
}

}  // namespace perdure
