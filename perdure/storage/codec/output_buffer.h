#pragma once
// Memory that a codec fills and that then becomes a Blob without a copy.
#include <cstddef>
#include <memory>
#include <utility>

#include "perdure/base/bytes.h"

namespace perdure::storage {

/// `size_max` bytes of undefined content.
class OutputBuffer {
 public:
  explicit OutputBuffer(std::size_t size_max)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(size_max)), size_max_(size_max) {}
  std::byte* data() { return bytes_.get(); }
  std::size_t size_max() const { return size_max_; }
  ByteSpan span() { return ByteSpan(bytes_.get(), size_max_); }
  /// The first `used` bytes; the buffer is empty afterwards.
  Blob take(std::size_t used) {
    std::shared_ptr<const std::byte[]> owner(std::move(bytes_));
    return Blob(ByteView(owner.get(), used), owner);
  }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_max_;
};

}  // namespace perdure::storage
