#pragma once
// What is to be read for a set of arrays: every chunk with its place in a file. Pure but for lookups of locations: nothing is
// read and nothing allocated for results before the plan stands, so that a shape without its data fails here.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perdure/base/dtype.h"
#include "perdure/storage/kvstore.h"
#include "perdure/storage/zarr/array.h"

namespace perdure::checkpoint {

/// An array to be read, or a box of it.
struct ArrayToRead {
  const storage::zarr::Array* array = nullptr;               // borrowed
  const std::vector<std::uint32_t>* chunk_crc32c = nullptr;  // of each stored chunk, where the codecs have none; borrowed
  Box box;
  DType dtype = DType::kUint8;  // of the result

  /// All of it, as stored.
  static ArrayToRead whole(const storage::zarr::Array& array);
  const std::string& name() const { return array->name(); }
  const storage::zarr::ArrayMetadata& metadata() const { return array->metadata(); }
};

struct ChunkToRead {
  std::uint32_t array = 0;  // index into ReadPlan::arrays
  storage::zarr::ChunkRead read;
  storage::ValueLocation location;
  std::optional<std::uint32_t> crc32c;  // of the stored bytes, if known from elsewhere
};

struct ReadPlan {
  std::vector<ArrayToRead> arrays;
  std::vector<ChunkToRead> chunks;  // by file and offset, the largest first; inline values before all
};

/// A shape of 2^60 chunks is refused before anybody lists them: throws kCorrupt.
void check_chunks_can_exist(const storage::KvStore& store, const ArrayToRead& array);

/// Throws kCorrupt, naming chunk and leaf in notes: a chunk is missing, or stored in a size that it cannot have.
ReadPlan plan_read(const storage::KvStore& store, std::vector<ArrayToRead> arrays);

/// "chunk params.w/c/0/1 in 'FILE' at byte 4096": for notes.
std::string place_of(const ReadPlan& plan, const ChunkToRead& chunk);

/// The part of a plain chunk that is wanted, when it is one run of bytes both in the chunk and in a C-ordered result.
struct PlainRun {
  std::uint64_t chunk_offset_bytes = 0;
  std::uint64_t result_offset_bytes = 0;  // counted in elements of the stored dtype
  std::uint64_t size_bytes = 0;
};
/// nullopt when the chunk is not plain, its elements need more than a copy, or the run is broken.
std::optional<PlainRun> find_plain_run(const ArrayToRead& array, const storage::zarr::ChunkRead& read);

}  // namespace perdure::checkpoint
