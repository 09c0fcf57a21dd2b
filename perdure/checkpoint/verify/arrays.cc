#include <algorithm>

#include "perdure/base/byte_limiter.h"
#include "perdure/base/checksum.h"
#include "perdure/base/task_group.h"
#include "perdure/checkpoint/read/chunk_reader.h"
#include "perdure/checkpoint/read/plain_chunk.h"
#include "perdure/checkpoint/read/result_memory.h"
#include "perdure/checkpoint/verify/files.h"
#include "perdure/checkpoint/verify/tree.h"

namespace perdure::checkpoint {
namespace {

constexpr std::uint64_t kBytesInFlightMax = 256 << 20;

class ArrayVerifier {
 public:
  ArrayVerifier(const StoredTree& tree, const VerifyContext& context)
      : tree_(tree), context_(context), limiter_(kBytesInFlightMax) {}

  void verify(std::uint32_t leaf_index) {
    const ArrayToRead array = tree_.planned(leaf_index);
    const Fault place{.leaf = array.name()};
    context_.log.guard(place, [&] {
      const ReadPlan plan = plan_read(tree_.store(), {array});
      for (const ChunkToRead& chunk : plan.chunks) verify_chunk(plan, chunk);
    });
  }

 private:
  void verify_chunk(const ReadPlan& plan, const ChunkToRead& chunk) {
    const ArrayToRead& array = plan.arrays.front();
    Fault place{
        .leaf = array.name(), .chunk = array.metadata().chunk_key(chunk.read.chunk_index), .offset = chunk.location.offset};
    if (!chunk.location.file.empty()) place.file = relative_to(context_.root, chunk.location.file);
    context_.log.guard(place, [&] {
      has_plain_checksum(array, chunk) ? check_plain(array, chunk) : decode(array, chunk);
      if (!tree_.contents().is_ours) context_.log.add_checked(chunk.location.size_bytes);
    });
  }

  static bool has_plain_checksum(const ArrayToRead& array, const ChunkToRead& chunk) {
    return array.metadata().codecs.is_plain() && (array.metadata().codecs.has_crc32c() || chunk.crc32c);
  }

  /// Checksums only: a wanted run of no bytes.
  void check_plain(const ArrayToRead& array, const ChunkToRead& chunk) {
    ReadTarget nowhere;
    const ReadContext reading{.store = &tree_.store(), .executor = &context_.executor, .progress = nullptr, .verify = true};
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
    const ReadContext reading{.store = &tree_.store(), .executor = &inline_executor(), .progress = nullptr, .verify = true};
    read_chunks(one, {&target, 1}, reading);
  }

  const StoredTree& tree_;
  const VerifyContext& context_;
  ByteLimiter limiter_;
};

}  // namespace

void verify_arrays(const StoredTree& tree, const VerifyContext& context) {
  ArrayVerifier verifier(tree, context);
  TaskGroup group(context.executor);
  const std::vector<DocumentLeaf>& leaves = tree.contents().document.leaves;
  for (std::uint32_t i = 0; i < leaves.size(); ++i) {
    const auto* array = std::get_if<StoredArrayRef>(&leaves[i]);
    if (array == nullptr || array->tied_to) continue;
    group.run([&verifier, i](std::stop_token) { verifier.verify(i); });
  }
  group.wait();
}

}  // namespace perdure::checkpoint
