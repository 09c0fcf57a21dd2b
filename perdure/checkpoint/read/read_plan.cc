#include "perdure/checkpoint/read/read_plan.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "perdure/base/checksum.h"
#include "perdure/base/error.h"
#include "perdure/base/leaf_note.h"
#include "perdure/storage/zarr/chunk_grid.h"

namespace perdure::checkpoint {
namespace {

using storage::ValueLocation;
using storage::zarr::ArrayMetadata;
using storage::zarr::ChunkRead;
using storage::zarr::find_run;

constexpr std::uint64_t kFewChunks = 64;

/// How many chunks a box touches.
std::uint64_t chunk_count(const ArrayMetadata& metadata, const Box& box) {
  std::uint64_t count = 1;
  for (std::size_t axis = 0; axis < metadata.shape.rank(); ++axis) {
    const std::uint64_t extent = box.extent[axis];
    if (extent == 0) return 0;
    const std::uint64_t chunk = metadata.chunk_shape[axis];
    count = checked_multiply(count, (box.offset[axis] + extent - 1) / chunk - box.offset[axis] / chunk + 1);
  }
  return count;
}

void check_stored_size(const ArrayMetadata& metadata, const ValueLocation& location) {
  const std::uint64_t stored = location.file.empty() ? location.inline_value.size() : location.size_bytes;
  const std::uint64_t decoded = metadata.chunk_bytes();
  if (metadata.codecs.is_plain()) {
    const std::uint64_t expected = checked_add(decoded, metadata.codecs.has_crc32c() ? kCrc32cBytes : 0);
    if (stored == expected) return;
    throw Error(ErrorKind::kCorrupt, "chunk has " + std::to_string(stored) + " bytes, expected " + std::to_string(expected));
  }
  if (decoded / metadata.codecs.expansion_max() > stored) {
    throw Error(ErrorKind::kCorrupt, "chunk of " + std::to_string(stored) + " bytes cannot hold " + std::to_string(decoded));
  }
}

std::optional<std::uint32_t> known_crc(const ArrayToRead& array, const Shape& index) {
  if (array.chunk_crc32c == nullptr || array.chunk_crc32c->empty()) return std::nullopt;
  const std::uint64_t number = storage::zarr::number_of_chunk(array.metadata().grid(), index);
  if (number >= array.chunk_crc32c->size()) throw Error(ErrorKind::kCorrupt, "there is no crc32c for this chunk");
  return (*array.chunk_crc32c)[number];
}

void plan_array(const storage::KvStore& store, ReadPlan& plan, std::uint32_t index) {
  const ArrayToRead& array = plan.arrays[index];
  check_chunks_can_exist(store, array);
  for (ChunkRead& read : array.array->plan(array.box)) {
    const std::string key = array.array->chunk_key(read.chunk_index);
    with_note([&] { return "chunk " + key; },
              [&] {
                std::optional<ValueLocation> location = store.find_location(key);
                if (!location) throw Error(ErrorKind::kCorrupt, "missing chunk");
                check_stored_size(array.metadata(), *location);
                const std::optional<std::uint32_t> crc = known_crc(array, read.chunk_index);
                plan.chunks.push_back({index, std::move(read), std::move(*location), crc});
              });
  }
}

/// Numbers of the files, equal for equal paths. Neighbours mostly share a file, and paths are long to compare.
std::vector<std::uint32_t> number_files(const std::vector<ChunkToRead>& chunks) {
  std::map<std::string_view, std::uint32_t> number_of = {{"", 0}};  // inline values come first
  std::vector<std::uint32_t> numbers;
  numbers.reserve(chunks.size());
  for (const ChunkToRead& chunk : chunks) {
    const std::string& file = chunk.location.file;
    const bool as_before = !numbers.empty() && chunks[numbers.size() - 1].location.file == file;
    numbers.push_back(as_before ? numbers.back()
                                : number_of.try_emplace(file, static_cast<std::uint32_t>(number_of.size())).first->second);
  }
  return numbers;
}

void sort_by_place(std::vector<ChunkToRead>& chunks) {
  struct Place {
    std::uint32_t file;
    std::uint32_t chunk;
    std::uint64_t offset;
    std::uint64_t size;
  };
  const std::vector<std::uint32_t> files = number_files(chunks);
  std::vector<Place> places;
  places.reserve(chunks.size());
  for (std::uint32_t i = 0; i < chunks.size(); ++i)
    places.push_back({files[i], i, chunks[i].location.offset, chunks[i].location.size_bytes});
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::tie(a.file, a.offset, b.size, a.chunk) < std::tie(b.file, b.offset, a.size, b.chunk);
  });
  std::vector<ChunkToRead> sorted;
  sorted.reserve(chunks.size());
  for (const Place& place : places) sorted.push_back(std::move(chunks[place.chunk]));
  chunks = std::move(sorted);
}

}  // namespace

void check_chunks_can_exist(const storage::KvStore& store, const ArrayToRead& array) {
  const std::uint64_t wanted = chunk_count(array.metadata(), array.box);
  if (wanted <= kFewChunks) return;
  const std::uint64_t stored = store.list(storage::zarr::key_prefix(array.name())).size();
  if (wanted <= stored) return;
  throw Error(ErrorKind::kCorrupt,
              "the shape needs " + std::to_string(wanted) + " chunks, at most " + std::to_string(stored) + " are stored");
}

ArrayToRead ArrayToRead::whole(const storage::zarr::Array& array) {
  return {&array, nullptr, Box::whole(array.metadata().shape), array.metadata().dtype};
}

ReadPlan plan_read(const storage::KvStore& store, std::vector<ArrayToRead> arrays) {
  ReadPlan plan;
  plan.arrays = std::move(arrays);
  plan.chunks.reserve(plan.arrays.size());
  for (std::uint32_t i = 0; i < plan.arrays.size(); ++i) {
    with_leaf_note(plan.arrays[i].name(), [&] { plan_array(store, plan, i); });
  }
  sort_by_place(plan.chunks);
  return plan;
}

std::string place_of(const ReadPlan& plan, const ChunkToRead& chunk) {
  const std::string text = "chunk " + plan.arrays[chunk.array].array->chunk_key(chunk.read.chunk_index);
  if (chunk.location.file.empty()) return text;
  return text + " in '" + chunk.location.file + "' at byte " + std::to_string(chunk.location.offset);
}

std::optional<PlainRun> find_plain_run(const ArrayToRead& array, const ChunkRead& read) {
  const ArrayMetadata& metadata = array.metadata();
  if (!metadata.codecs.is_plain() || has_unused_bits(metadata.dtype)) return std::nullopt;
  const std::optional<std::uint64_t> in_chunk = find_run(read.in_chunk, metadata.chunk_shape);
  const std::optional<std::uint64_t> in_result = find_run(read.in_target, array.box.extent);
  if (!in_chunk || !in_result) return std::nullopt;
  const std::uint64_t size = itemsize(metadata.dtype);
  return PlainRun{*in_chunk * size, *in_result * size, read.in_chunk.extent.element_count() * size};
}

}  // namespace perdure::checkpoint
