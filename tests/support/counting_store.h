#pragma once
// A store that counts what is read from it, and makers of arrays in memory: for tests.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "perdure/storage/kvstore/memory.h"
#include "perdure/storage/zarr/chunk_encoding.h"
#include "perdure/storage/zarr/chunk_grid.h"

namespace perdure::storage::zarr {

class CountingStore : public MemoryStore {
 public:
  void read_range(const ValueLocation& location, std::uint64_t offset, ByteSpan target) const override {
    ++read_calls;
    read_bytes += target.size();
    MemoryStore::read_range(location, offset, target);
  }
  void reset() { read_calls = read_bytes = 0; }

  mutable std::uint64_t read_calls = 0;
  mutable std::uint64_t read_bytes = 0;
};

/// An array in one piece whose bytes count up (bools: 0 and 1).
inline ArrayLeaf counting_array(DType dtype, const Shape& shape) {
  auto memory = std::make_shared<std::vector<std::byte>>(shape.element_count() * itemsize(dtype));
  for (std::size_t i = 0; i < memory->size(); ++i)
    (*memory)[i] = static_cast<std::byte>(dtype == DType::kBool ? i % 2 : i * 31 >> 3);
  ArrayLeaf leaf;
  leaf.dtype = dtype;
  leaf.shape = shape;
  leaf.owner = memory;
  leaf.pieces.push_back({Box::whole(shape), ArrayView::contiguous(memory->data(), dtype, shape)});
  return leaf;
}

/// Stores `array` under `name` as a writer would.
inline void put_array(MemoryStore& store, const std::string& name, const ArrayLeaf& array, const Shape& chunk_shape,
                      const WriteFormat& format) {
  const ArrayMetadata metadata = make_metadata(array.dtype, array.shape, chunk_shape, format);
  store.put(name + "/" + std::string(metadata_file(format.zarr_format)),
            Blob::from(metadata_text(array.dtype, array.shape, chunk_shape, format)));
  const std::string attributes = attributes_text(array.dtype, format);
  if (!attributes.empty()) store.put(name + "/" + std::string(kZarr2AttributesFile), Blob::from(attributes));
  const Shape grid = metadata.grid();
  for (std::uint64_t chunk = 0; chunk < grid.element_count(); ++chunk) {
    store.put(name + "/" + metadata.chunk_key(index_of_chunk(grid, chunk)), encode_chunk({array.pieces, metadata, chunk}));
  }
}

}  // namespace perdure::storage::zarr
