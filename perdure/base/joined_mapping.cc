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
    if (range.file->native_handle() < 0 || (range.offset - ranges.front().offset) % page_bytes() != 0) return 0;
    if (!is_last && range.size_bytes % page_bytes() != 0) return 0;
    const std::uint64_t file_bytes = range.file->size_bytes();
    if (range.offset > file_bytes || range.size_bytes > file_bytes - range.offset) return 0;
    total = checked_add(total, range.size_bytes);
  }
  return total;
}

void map_at(std::byte* at, const FileRange& range, std::uint64_t head_bytes) {
  void* mapped = ::mmap(at, head_bytes + range.size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
                        range.file->native_handle(), static_cast<off_t>(range.offset - head_bytes));
  if (mapped == MAP_FAILED) throw io_error("cannot map", range.file->path(), errno);
}

}  // namespace

std::optional<Blob> map_joined(std::span<const FileRange> ranges) {
  const std::uint64_t total = joined_bytes(ranges);
  if (total == 0) return std::nullopt;
  const std::uint64_t head_bytes = ranges.front().offset % page_bytes();  // of a page, before each range
  const std::uint64_t mapped_bytes = head_bytes + total;
  void* base = ::mmap(nullptr, mapped_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) throw io_error("cannot map", ranges.front().file->path(), errno);
  std::shared_ptr<std::byte> memory(static_cast<std::byte*>(base), [mapped_bytes](std::byte* at) { ::munmap(at, mapped_bytes); });
  std::byte* at = memory.get();
  const FileRange* before = nullptr;
  for (const FileRange& range : ranges) {
    if (range.size_bytes == 0) continue;
    map_at(at, range, head_bytes);
    if (before != nullptr) before->file->read_at(before->offset + before->size_bytes - head_bytes, ByteSpan(at, head_bytes));
    at += range.size_bytes;
    before = &range;
  }
  return Blob(ByteView(memory.get() + head_bytes, total), memory);
}

}  // namespace perdure
