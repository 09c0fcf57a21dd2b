#include "perdure/storage/zarr/byte_source.h"

#include <cstring>

#include "perdure/storage/codec/output_buffer.h"

namespace perdure::storage::zarr {

void ByteSource::read(std::uint64_t offset, ByteSpan target) const {
  if (target.empty()) return;
  if (!in_memory()) return store_->read_range(*location_, offset_ + offset, target);
  std::memcpy(target.data(), memory_.data() + offset_ + offset, target.size());
}

Blob ByteSource::read_all() const {
  if (in_memory()) return memory_.slice(offset_, size_bytes_);
  OutputBuffer buffer(size_bytes_);
  read(0, buffer.span());
  return buffer.take(size_bytes_);
}

ByteSource ByteSource::part(std::uint64_t offset, std::uint64_t size_bytes) const {
  ByteSource part = *this;
  part.offset_ += offset;
  part.size_bytes_ = size_bytes;
  return part;
}

}  // namespace perdure::storage::zarr
