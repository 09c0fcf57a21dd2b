#include "perdure/base/buffer_pool.h"

#include <sys/mman.h>

#include <cstdint>
#include <mutex>
#include <new>

#include "perdure/base/immortal.h"

namespace perdure {
namespace {

constexpr std::size_t kHugePage = 2 << 20;
constexpr std::size_t kHugeResultMin = 4 << 20;  // smaller results waste too much of their last huge page
constexpr std::size_t kCacheLine = 64;

std::size_t in_huge_pages(std::size_t size) {
  if (size > SIZE_MAX - 2 * kHugePage) throw std::bad_alloc();
  return (size + kHugePage - 1) / kHugePage * kHugePage;
}

/// Maps `size` bytes (a multiple of kHugePage) at a multiple of kHugePage.
void* map_huge(std::size_t size) {
  void* mapped = ::mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* begin = static_cast<std::byte*>(mapped);
  const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(begin) % kHugePage) % kHugePage;
  if (before > 0) ::munmap(begin, before);
  ::munmap(begin + before + size, kHugePage - before);
  ::madvise(begin + before, size, MADV_HUGEPAGE);  // only a wish: without huge pages it is slower, not wrong
  return begin + before;
}

}  // namespace

struct BufferPool::Shelf {
  Shelf(std::size_t size_each, std::size_t kept_count) : buffer_bytes(size_each), kept_count_max(kept_count) {
    unused.reserve(kept_count);
  }
  Shelf(const Shelf&) = delete;
  Shelf& operator=(const Shelf&) = delete;
  ~Shelf() {
    for (void* buffer : unused) ::munmap(buffer, in_huge_pages(buffer_bytes));
  }

  void* take() {
    {
      const std::lock_guard lock(mutex);
      if (!unused.empty()) {
        void* buffer = unused.back();
        unused.pop_back();
        return buffer;
      }
    }
    return map_huge(in_huge_pages(buffer_bytes));
  }

  void put_back(void* buffer) {
    {
      const std::lock_guard lock(mutex);
      if (unused.size() < kept_count_max) return unused.push_back(buffer);  // within its capacity: does not throw
    }
    ::munmap(buffer, in_huge_pages(buffer_bytes));
  }

  const std::size_t buffer_bytes;
  const std::size_t kept_count_max;
  std::mutex mutex;
  std::vector<void*> unused;  // guarded by mutex
};

BufferPool::BufferPool(std::size_t buffer_bytes, std::size_t kept_bytes_max)
    : shelf_(std::make_shared<Shelf>(buffer_bytes, kept_bytes_max / in_huge_pages(buffer_bytes))) {}
BufferPool::~BufferPool() = default;  // buffers in use keep the shelf

BufferPool::Buffer BufferPool::acquire() {
  Buffer buffer;
  buffer.owner_ = std::shared_ptr<void>(shelf_->take(), [shelf = shelf_](void* memory) { shelf->put_back(memory); });
  buffer.span_ = {static_cast<std::byte*>(buffer.owner_.get()), shelf_->buffer_bytes};
  return buffer;
}

std::size_t BufferPool::buffer_bytes() const { return shelf_->buffer_bytes; }

BufferPool& write_buffer_pool() {
  static auto& pool = make_immortal<BufferPool>(8 << 20, 48 << 20);
  return pool;
}

std::shared_ptr<std::byte> allocate_result(std::size_t size) {
  if (size >= kHugeResultMin) {
    const std::size_t mapped = in_huge_pages(size);
    return std::shared_ptr<std::byte>(static_cast<std::byte*>(map_huge(mapped)),
                                      [mapped](std::byte* memory) { ::munmap(memory, mapped); });
  }
  constexpr std::align_val_t kAlignment{kCacheLine};
  return std::shared_ptr<std::byte>(static_cast<std::byte*>(::operator new(size, kAlignment)),
                                    [](std::byte* memory) { ::operator delete(memory, kAlignment); });
}

}  // namespace perdure
