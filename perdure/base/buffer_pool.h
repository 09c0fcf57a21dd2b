#pragma once
// Recycled, huge-page-backed, page-aligned buffers: the first touch of fresh memory costs more than the copy into it.
#include <cstddef>
#include <memory>

#include "perdure/base/bytes.h"

namespace perdure {

/// Any thread may call acquire(). Buffers go back to the pool when their last owner lets go of them.
class BufferPool {
 public:
  /// Keeps at most `kept_bytes_max` in unused buffers; each buffer has `buffer_bytes` (a multiple of 2 MiB is best).
  BufferPool(std::size_t buffer_bytes, std::size_t kept_bytes_max);
  ~BufferPool();

  class Buffer {
   public:
    ByteSpan span() const { return span_; }
    const std::shared_ptr<void>& owner() const { return owner_; }

   private:
    friend class BufferPool;
    ByteSpan span_;
    std::shared_ptr<void> owner_;
  };
  /// Content is undefined. Throws std::bad_alloc.
  Buffer acquire();
  std::size_t buffer_bytes() const;

 private:
  struct Shelf;
  std::shared_ptr<Shelf> shelf_;
};

/// The process-wide pool of write buffers (8 MiB each, at most 48 MiB kept).
BufferPool& write_buffer_pool();

/// Fresh memory for a result of `size` bytes, aligned to a cache line; from 4 MiB on aligned to a huge page and made of such
/// where the system allows. Not initialised. Throws std::bad_alloc.
std::shared_ptr<std::byte> allocate_result(std::size_t size);

}  // namespace perdure
