#pragma once
// Reading arrays: whole, or a box, from any KvStore. A box costs the chunks it touches; of plain chunks only the byte ranges.
#include <memory>
#include <string>
#include <vector>

#include "perdure/base/array_view.h"
#include "perdure/storage/kvstore.h"
#include "perdure/storage/zarr/metadata.h"

namespace perdure::storage::zarr {

struct ReadOptions {
  bool verify = true;           // check crc32c where a codec has one (a partial read of a plain chunk then reads all of it)
  bool missing_is_fill = true;  // false: a chunk that is not stored throws kCorrupt naming it
};

/// The part of a read that one chunk serves.
struct ChunkRead {
  Shape chunk_index;
  Box in_chunk;   // elements of the chunk
  Box in_target;  // where they go in the target
};

/// Immutable; any thread may call any member. Borrows the store.
class Array {
 public:
  /// `name`: "params.w"; "" for an array at the root of the store. Throws kNotFound naming it.
  static Array open(const KvStore& store, const std::string& name);
  Array(const KvStore& store, std::string name, std::shared_ptr<const ArrayMetadata> metadata);

  /// The same array, read from another store.
  Array with_store(const KvStore& store) const { return Array(store, name_, metadata_); }

  const ArrayMetadata& metadata() const { return *metadata_; }
  const std::string& name() const { return name_; }
  /// "params.w/c/0/1"
  std::string chunk_key(const Shape& chunk_index) const;

  /// The chunk reads that fill `box`, in C order of the grid. Throws kInvalid if the box is not inside.
  std::vector<ChunkRead> plan(const Box& box) const;
  /// Serves one of them. target.shape is the box's extent, target.dtype the array's. Errors carry notes: chunk, file, offset.
  void read_chunk(const ChunkRead& read, const ArraySpan& target, const ReadOptions& options = {}) const;
  /// plan and read_chunk one after another.
  void read(const Box& box, const ArraySpan& target, const ReadOptions& options = {}) const;

 private:
  const KvStore* store_;
  std::string name_;
  std::shared_ptr<const ArrayMetadata> metadata_;
};

/// Where the keys of the array `name` begin: "params.w/"; "" for one at the root of the store. As in TensorStore, a name that ends in '/'
/// gets no second one.
std::string key_prefix(const std::string& name);
/// A key of the array `name`: "params.w/c/0" for the tail "c/0".
std::string key_below(const std::string& name, std::string_view tail);

/// Names of all arrays in a store, sorted ("" for one at the root).
std::vector<std::string> list_arrays(const KvStore& store);

}  // namespace perdure::storage::zarr
