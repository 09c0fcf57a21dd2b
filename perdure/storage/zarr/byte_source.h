#pragma once
// What a chunk is read from: a range of a stored value, or bytes in memory once they have been decoded.
#include <cstdint>
#include <utility>

#include "perdure/storage/kvstore.h"

namespace perdure::storage::zarr {

/// A value type that borrows the store and the location, and shares memory. Any thread may call any member.
class ByteSource {
 public:
  ByteSource(const KvStore& store, const ValueLocation& location)
      : store_(&store), location_(&location), size_bytes_(location.size_bytes) {}
  explicit ByteSource(Blob memory) : memory_(std::move(memory)), size_bytes_(memory_.size()) {}

  std::uint64_t size_bytes() const { return size_bytes_; }
  bool in_memory() const { return store_ == nullptr; }

  /// Fills `target` from `offset` on; the range must lie inside.
  void read(std::uint64_t offset, ByteSpan target) const;
  /// Everything; shares memory that is there already.
  Blob read_all() const;
  /// A range of this source, which must lie inside.
  ByteSource part(std::uint64_t offset, std::uint64_t size_bytes) const;

 private:
  const KvStore* store_ = nullptr;
  const ValueLocation* location_ = nullptr;
  Blob memory_;
  std::uint64_t offset_ = 0;
  std::uint64_t size_bytes_;
};

}  // namespace perdure::storage::zarr
