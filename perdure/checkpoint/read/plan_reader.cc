#include "perdure/checkpoint/read/plan_reader.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <vector>

#include "perdure/base/buffer_pool.h"
#include "perdure/base/byte_limiter.h"
#include "perdure/base/cast.h"
#include "perdure/base/checksum.h"
#include "perdure/base/error.h"
#include "perdure/base/leaf_note.h"
#include "perdure/base/task_group.h"
#include "perdure/checkpoint/read/one_value_store.h"
#include "perdure/checkpoint/read/plain_chunk.h"

namespace perdure::checkpoint {
namespace {

namespace zarr = storage::zarr;

constexpr std::uint64_t kSmallBytesMax = 256 << 10;  // stored chunks up to this are read together
constexpr std::uint64_t kBatchBytesMax = 4 << 20;
constexpr std::uint64_t kGapBytesMax = 64 << 10;  // reading what lies between is cheaper than another call
constexpr std::size_t kBatchChunksMax = 2048;
constexpr std::uint64_t kBytesInFlightMax = 64 << 20;

/// Chunks of a plan that one task serves: one large chunk, or many small ones that lie close together or inline.
struct Batch {
  std::size_t first = 0;
  std::size_t last = 0;            // exclusive
  std::uint64_t offset_bytes = 0;  // in the file; 0 for chunks that are in memory
  std::uint64_t end_bytes = 0;     // for chunks in memory: the sum of their sizes
};

/// Inline in a node, or in a mapping of its file.
bool is_in_memory(const ChunkToRead& chunk) { return chunk.location.file.empty() || !chunk.location.inline_value.empty(); }

std::uint64_t stored_bytes(const ChunkToRead& chunk) {
  return is_in_memory(chunk) ? chunk.location.inline_value.size() : chunk.location.size_bytes;
}

bool joins(const Batch& batch, const ChunkToRead& first, const ChunkToRead& next) {
  if (batch.last - batch.first >= kBatchChunksMax || is_in_memory(first) != is_in_memory(next)) return false;
  if (is_in_memory(next)) return batch.end_bytes + stored_bytes(next) <= kBatchBytesMax;
  const std::uint64_t offset = next.location.offset;
  return next.location.file == first.location.file && stored_bytes(first) <= kSmallBytesMax &&
         stored_bytes(next) <= kSmallBytesMax && offset <= batch.end_bytes + kGapBytesMax &&
         offset + stored_bytes(next) - batch.offset_bytes <= kBatchBytesMax;
}

std::vector<Batch> make_batches(const std::vector<ChunkToRead>& chunks) {
  std::vector<Batch> batches;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (batches.empty() || !joins(batches.back(), chunks[batches.back().first], chunks[i])) {
      batches.push_back({i, i, is_in_memory(chunks[i]) ? 0 : chunks[i].location.offset, 0});
    }
    Batch& batch = batches.back();
    batch.last = i + 1;
    const std::uint64_t start = is_in_memory(chunks[i]) ? batch.end_bytes : chunks[i].location.offset;
    batch.end_bytes = std::max(batch.end_bytes, start + stored_bytes(chunks[i]));
  }
  return batches;
}

/// Decodes through the Zarr reader, by way of a scratch array when the result is of another dtype.
void decode_chunk(const ArrayToRead& array, const zarr::Array& reader, const ChunkToRead& chunk, ReadTarget& target,
                  bool verify) {
  const zarr::ReadOptions options{.verify = verify, .missing_is_fill = false};
  if (array.dtype == array.metadata().dtype) return reader.read_chunk(chunk.read, target.span, options);
  const Shape& extent = chunk.read.in_target.extent;
  std::vector<std::byte> scratch(checked_multiply(extent.element_count(), itemsize(array.metadata().dtype)));
  const ArraySpan decoded = ArraySpan::contiguous(scratch.data(), array.metadata().dtype, extent);
  reader.read_chunk({chunk.read.chunk_index, chunk.read.in_chunk, Box::whole(extent)}, decoded, options);
  const CastReport report = cast_array(decoded.view(), target.span.sub(chunk.read.in_target));
  if (report.any()) std::atomic_ref(target.cast_changed_values).store(true, std::memory_order_relaxed);
}

std::optional<PlainRun> find_direct_run(const ArrayToRead& array, const ChunkToRead& chunk, const ReadTarget& target) {
  return target.span.view().is_contiguous() ? find_plain_run(array, chunk.read) : std::nullopt;
}

std::uint64_t scratch_bytes(const ArrayToRead& array, const ChunkToRead& chunk) {
  const std::uint64_t decoded = array.metadata().chunk_bytes();
  const std::uint64_t cast = array.dtype == array.metadata().dtype ? 0 : decoded;
  return std::clamp<std::uint64_t>(checked_add(checked_add(chunk.location.size_bytes, decoded), cast), 1, kBytesInFlightMax);
}

class BatchReader {
 public:
  BatchReader(const ReadPlan& plan, std::span<ReadTarget> targets, const ReadContext& context)
      : plan_(plan), targets_(targets), context_(context), limiter_(kBytesInFlightMax) {
    for (const ChunkToRead& chunk : plan.chunks) total_bytes_ += stored_bytes(chunk);
  }

  void read(const Batch& batch) {
    const ChunkToRead& first = plan_.chunks[batch.first];
    if (is_in_memory(first)) {
      for (std::size_t i = batch.first; i < batch.last; ++i) take(plan_.chunks[i], plan_.chunks[i].location.inline_value);
    } else if (batch.last - batch.first > 1) {
      read_together(batch);
    } else {
      read_alone(first);
    }
    report_progress(batch);
  }

 private:
  void read_together(const Batch& batch) {
    const auto permit = limiter_.acquire(write_buffer_pool().buffer_bytes());
    const BufferPool::Buffer buffer = write_buffer_pool().acquire();
    const ByteSpan bytes = buffer.span().first(batch.end_bytes - batch.offset_bytes);
    const std::string& file = plan_.chunks[batch.first].location.file;
    context_.store->read_range({.file = file, .offset = batch.offset_bytes, .size_bytes = bytes.size(), .inline_value = {}}, 0,
                               bytes);
    const Blob together(bytes, buffer.owner());
    for (std::size_t i = batch.first; i < batch.last; ++i) {
      const ChunkToRead& chunk = plan_.chunks[i];
      take(chunk, together.slice(chunk.location.offset - batch.offset_bytes, chunk.location.size_bytes));
    }
  }

  void read_alone(const ChunkToRead& chunk) {
    const ArrayToRead& array = plan_.arrays[chunk.array];
    ReadTarget& target = targets_[chunk.array];
    with_leaf_note(array.name(), [&] {
      if (const std::optional<PlainRun> run = find_direct_run(array, chunk, target)) {
        return at(chunk, [&] { read_plain_chunk(array, chunk, *run, target, context_); });
      }
      const auto permit = limiter_.acquire(scratch_bytes(array, chunk));
      if (chunk.crc32c) return decode(chunk, context_.store->read(chunk.location));
      decode_chunk(array, *array.array, chunk, target, context_.verify);
    });
  }

  void take(const ChunkToRead& chunk, const Blob& stored) {
    const ArrayToRead& array = plan_.arrays[chunk.array];
    ReadTarget& target = targets_[chunk.array];
    with_leaf_note(array.name(), [&] {
      if (const std::optional<PlainRun> run = find_direct_run(array, chunk, target)) {
        return at(chunk, [&] { take_plain_chunk(array, chunk, *run, stored, target, context_.verify); });
      }
      decode(chunk, stored);
    });
  }

  void decode(const ChunkToRead& chunk, const Blob& stored) {
    if (chunk.crc32c && context_.verify) at(chunk, [&] { check_crc32c(*chunk.crc32c, crc32c(stored)); });
    const ArrayToRead& array = plan_.arrays[chunk.array];
    const OneValueStore store(array.array->chunk_key(chunk.read.chunk_index), chunk.location, stored);
    decode_chunk(array, array.array->with_store(store), chunk, targets_[chunk.array], context_.verify);
  }

  /// Says in an error where it happened; the Zarr reader does so by itself.
  template <class Body>
  void at(const ChunkToRead& chunk, Body&& body) {
    with_note([&] { return place_of(plan_, chunk); }, body);
  }

  void report_progress(const Batch& batch) {
    if (context_.progress == nullptr) return;
    std::uint64_t bytes = 0;
    for (std::size_t i = batch.first; i < batch.last; ++i) bytes += stored_bytes(plan_.chunks[i]);
    context_.progress->on_bytes(done_bytes_ += bytes, total_bytes_);
  }

  const ReadPlan& plan_;
  const std::span<ReadTarget> targets_;
  const ReadContext& context_;
  ByteLimiter limiter_;
  std::uint64_t total_bytes_ = 0;
  std::atomic<std::uint64_t> done_bytes_{0};
};

}  // namespace

void read_chunks(const ReadPlan& plan, std::span<ReadTarget> targets, const ReadContext& context) {
  const std::vector<Batch> batches = make_batches(plan.chunks);
  BatchReader reader(plan, targets, context);
  if (batches.size() == 1) return reader.read(batches.front());  // no thread is worth waking
  TaskGroup group(*context.executor);
  for (const Batch& batch : batches) {
    group.run([&reader, &batch](std::stop_token stop) {
      if (!stop.stop_requested()) reader.read(batch);
    });
  }
  group.wait();
}

}  // namespace perdure::checkpoint
