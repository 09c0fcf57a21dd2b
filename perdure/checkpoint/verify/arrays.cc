#include "perdure/checkpoint/verify/arrays.h"

#include <algorithm>

#include "perdure/base/byte_limiter.h"
#include "perdure/base/checksum.h"
#include "perdure/base/task_group.h"
#include "perdure/checkpoint/read/plain_chunk.h"
#include "perdure/checkpoint/read/plan_reader.h"
#include "perdure/checkpoint/read/result_memory.h"
#include "perdure/checkpoint/verify/files.h"
#include "perdure/storage/zarr/array.h"

namespace perdure::checkpoint {
namespace {

using storage::zarr::ChunkRead;

constexpr std::uint64_t kBytesInFlightMax = 256 << 20;

class ArrayVerifier {
 public:
  ArrayVerifier(const storage::KvStore& store, bool counts_bytes, const VerifyContext& context)
      : store_(store), counts_bytes_(counts_bytes), context_(context), limiter_(kBytesInFlightMax) {}

  /// Chunk by chunk: one that is missing does not hide the others.
  void verify(const ArrayToRead& array) {
    context_.log.guard({.leaf = array.name()}, [&] {
      check_chunks_can_exist(store_, array);
      for (const ChunkRead& read : array.array->plan(array.box)) verify_chunk(array, read);
    });
  }

 private:
  void verify_chunk(const ArrayToRead& array, const ChunkRead& read) {
    Fault place{.leaf = array.name(), .chunk = array.metadata().chunk_key(read.chunk_index)};
    context_.log.guard(place, [&] {
      const auto location = store_.find_location(array.array->chunk_key(read.chunk_index));
      if (location && !location->file.empty()) {
        place.file = relative_to(context_.root, location->file);
        place.offset = location->offset;
      }
      ArrayToRead part = array;
      part.box = read.in_target;
      const ReadPlan plan = plan_read(store_, {part});
      const ChunkToRead& chunk = plan.chunks.front();
      has_plain_checksum(array, chunk) ? check_plain(array, chunk) : decode(array, chunk);
      if (counts_bytes_) context_.log.add_checked(chunk.location.size_bytes);
    });
  }

  static bool has_plain_checksum(const ArrayToRead& array, const ChunkToRead& chunk) {
    return array.metadata().codecs.is_plain() && (array.metadata().codecs.has_crc32c() || chunk.crc32c);
  }

  /// Checksums only: a wanted run of no bytes.
  void check_plain(const ArrayToRead& array, const ChunkToRead& chunk) {
    ReadTarget nowhere;
    const ReadContext reading{.store = &store_, .executor = &context_.executor, .progress = nullptr, .verify = true};
    if (chunk.location.file.empty()) return take_plain_chunk(array, chunk, {}, chunk.location.inline_value, nowhere, true);
    read_plain_chunk(array, chunk, {}, nowhere, reading);
  }

  void decode(const ArrayToRead& array, const ChunkToRead& chunk) {
    const Shape& extent = chunk.read.in_target.extent;
    const std::uint64_t size = checked_multiply(extent.element_count(), itemsize(array.dtype));
    const auto permit = limiter_.acquire(std::clamp<std::uint64_t>(size, 1, kBytesInFlightMax));
    const ResultMemory memory = allocate_results(std::array{size}, size).front();
    ReadPlan one{{array}, {chunk}};
    one.arrays.front().box = one.chunks.front().read.in_target = Box::whole(extent);
    ReadTarget target{.span = ArraySpan::contiguous(memory.data, array.dtype, extent)};
    const ReadContext reading{.store = &store_, .executor = &inline_executor(), .progress = nullptr, .verify = true};
    read_chunks(one, {&target, 1}, reading);
  }

  const storage::KvStore& store_;
  const bool counts_bytes_;
  const VerifyContext& context_;
  ByteLimiter limiter_;
};

}  // namespace

void verify_arrays(const StoredTree& tree, const VerifyContext& context) {
  ArrayVerifier verifier(tree.store(), !tree.contents().is_ours, context);
  TaskGroup group(context.executor);
  const std::vector<DocumentLeaf>& leaves = tree.contents().document.leaves;
  for (std::uint32_t i = 0; i < leaves.size(); ++i) {
    const auto* array = std::get_if<StoredArrayRef>(&leaves[i]);
    if (array == nullptr || array->tied_to) continue;
    group.run([&, i](std::stop_token) { verifier.verify(tree.planned(i)); });
  }
  group.wait();
}

void verify_arrays_alone(const storage::KvStore& store, const VerifyContext& context) {
  ArrayVerifier verifier(store, true, context);
  for (const std::string& name : storage::zarr::list_arrays(store)) {
    context.log.guard({.leaf = name}, [&] {
      const auto array = storage::zarr::Array::open(store, name);
      verifier.verify(ArrayToRead::whole(array));
    });
  }
}

}  // namespace perdure::checkpoint
