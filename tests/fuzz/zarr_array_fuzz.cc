// Reading an array whose metadata and chunk are both hostile: two bytes with the size of the metadata (the highest bit: Zarr v2),
// metadata, chunk value.
#include "perdure/base/error.h"
#include "perdure/storage/codec.h"
#include "perdure/storage/kvstore/memory.h"
#include "perdure/storage/zarr/array.h"
#include "perdure/storage/zarr/chunk_encoding.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/write_formats.h"

using namespace perdure;
using namespace perdure::storage;
using namespace perdure::storage::zarr;

namespace {

constexpr std::uint64_t kReadBytesMax = 64 << 10;
constexpr std::size_t kZarr2 = 0x8000;

/// Whether an array is small enough to be read here; larger ones are what callers refuse.
bool is_small(const ArrayMetadata& metadata) {
  std::uint64_t bytes = itemsize(metadata.dtype), chunks = 1;
  for (std::size_t axis = 0; axis < metadata.shape.rank(); ++axis) {
    if (__builtin_mul_overflow(bytes, metadata.shape[axis], &bytes) || bytes > kReadBytesMax) return false;
    chunks *= metadata.grid()[axis];
  }
  return chunks <= 64;
}

std::string read_all(const Array& array, bool verify) {
  const ArrayMetadata& metadata = array.metadata();
  std::string bytes(metadata.shape.element_count() * itemsize(metadata.dtype), '\0');
  array.read(Box::whole(metadata.shape),
             ArraySpan::contiguous(reinterpret_cast<std::byte*>(bytes.data()), metadata.dtype, metadata.shape),
             {.verify = verify});
  return bytes;
}

std::string input(int zarr_format, const std::string& metadata, std::string_view chunk) {
  const std::size_t head = metadata.size() | (zarr_format == 2 ? kZarr2 : 0);
  return std::string{static_cast<char>(head >> 8), static_cast<char>(head)} + metadata + std::string(chunk);
}

/// One chunk of big-endian numbers in F order, compressed with each codec of Zarr v2.
std::vector<std::string> zarr2_inputs() {
  std::vector<std::string> made;
  for (const CodecRow& row : codec_table()) {
    if (row.zarr2.empty()) continue;
    const std::string metadata =
        R"({"zarr_format":2,"shape":[3,4],"chunks":[3,4],"dtype":">f4","fill_value":0.5,"order":"F","filters":null,"compressor":)"
        R"({"id":")" +
        std::string(row.zarr2) + R"("}})";
    const Blob chunk = row.make(json::Value(), 4)->encode(Blob::from(std::string(3 * 4 * 4, 'x')));
    made.push_back(input(2, metadata, chunk.text()));
  }
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t head = static_cast<std::size_t>(data[0] << 8 | data[1]);
  const std::size_t metadata_size = std::min(head & ~kZarr2, rest.size());
  MemoryStore store;
  store.put(head & kZarr2 ? ".zarray" : "zarr.json", Blob::from(std::string(rest.substr(0, metadata_size))));
  try {
    const Array array = Array::open(store, "");
    if (!is_small(array.metadata())) return 0;
    for (const ChunkRead& chunk : array.plan(Box::whole(array.metadata().shape))) {
      store.put(array.chunk_key(chunk.chunk_index), Blob::from(std::string(rest.substr(metadata_size))));
    }
    const std::string checked = read_all(array, true);
    fuzz::fuzz_check(read_all(array, false) == checked, "an unverified read gives other elements");
  } catch (const Error& error) {
    fuzz::fuzz_check(error.kind() == ErrorKind::kCorrupt || error.kind() == ErrorKind::kInvalid, "an error of another kind");
  }
  return 0;
}

std::vector<std::string> seeds() {
  std::vector<std::string> made = zarr2_inputs();
  std::vector<std::byte> memory(16 * 6 * 4);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i % 2);
  for (const DType dtype : {DType::kBool, DType::kInt4, DType::kFloat32, DType::kComplex64}) {
    for (const WriteFormat& format : write_formats()) {
      ArrayLeaf leaf;
      leaf.dtype = dtype;
      leaf.shape = {6, 4};
      leaf.pieces.push_back({Box::whole(leaf.shape), ArrayView::contiguous(memory.data(), dtype, leaf.shape)});
      const ArrayMetadata metadata = make_metadata(dtype, leaf.shape, {3, 4}, format);
      const std::string text = metadata_text(dtype, leaf.shape, {3, 4}, format);
      made.push_back(input(format.zarr_format, text, encode_chunk({leaf.pieces, metadata, 0}).text()));
    }
  }
  const std::string shard_metadata =
      R"({"zarr_format":3,"node_type":"array","shape":[4],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":)"
      R"({"chunk_shape":[4]}},"chunk_key_encoding":{"name":"default"},"fill_value":1,"codecs":[{"name":"sharding_indexed",)"
      R"("configuration":{"chunk_shape":[2],"codecs":[{"name":"bytes"}],"index_codecs":[{"name":"bytes","configuration":)"
      R"({"endian":"little"}}],"index_location":"end"}}]})";
  std::string shard = "abcd" + std::string(4 * 8, '\0');
  shard[4 + 8] = shard[4 + 16] = shard[4 + 24] = 2;  // (0, 2), (2, 2)
  made.push_back(input(3, shard_metadata, shard));
  return made;
}
