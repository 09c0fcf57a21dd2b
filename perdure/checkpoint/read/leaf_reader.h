#pragma once
// Reads arrays of an item by name, without its tree: what leaf handlers are asked for.
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "perdure/base/byte_limiter.h"
#include "perdure/checkpoint/load.h"
#include "perdure/storage/kvstore.h"
#include "perdure/storage/zarr/array.h"

namespace perdure::checkpoint {

struct LeafToRead {
  std::string name;            // in the store
  std::optional<DType> dtype;  // cast to this; default as stored
};

struct LeafReadOptions {
  bool missing_is_fill = false;            // a chunk that is not stored reads as the fill value; else it throws kCorrupt
  std::shared_ptr<ByteLimiter> limiter{};  // of arrays being read, one after the other; a larger one throws kInvalid; may be null
  ReadOptions read = {};                   // where nothing is filled
};

/// Checks what it reads: by the CRCs of the codecs, and of arrays that have none by those of the item document, if there is one. Any
/// thread may call any member.
class LeafReader {
 public:
  /// `is_ocdbt`: default what is found. Throws kNotFound.
  LeafReader(const std::string& directory, std::optional<bool> is_ocdbt, const OpenOptions& options = {.follow_links = true});

  /// Throws kNotFound naming the array.
  storage::zarr::ArrayMetadata describe(const std::string& name) const;
  /// In the order of `leaves`. Throws kNotFound naming the array; kCorrupt with chunk, file and offset in notes.
  std::vector<LoadedArray> read(const std::vector<LeafToRead>& leaves, const LeafReadOptions& options = {}) const;

 private:
  storage::zarr::Array open(const std::string& name) const;
  std::vector<LoadedArray> read_together(const std::vector<storage::zarr::Array>& arrays, const std::vector<LeafToRead>& leaves,
                                         const ReadOptions& options) const;
  LoadedArray read_with_fill(const storage::zarr::Array& array, const LeafToRead& leaf) const;
  /// As ArrayToRead has it; nullptr if the item document knows of none. Throws kCorrupt if the document is damaged.
  const std::vector<std::uint32_t>* chunk_crc32c(const storage::zarr::Array& array) const;

  const std::string directory_;
  const OpenOptions options_;
  mutable std::once_flag document_is_read_;
  mutable std::unordered_map<std::string, std::vector<std::uint32_t>> crc32c_by_array_;  // filled then
  std::unique_ptr<storage::KvStore> store_;
};

}  // namespace perdure::checkpoint
