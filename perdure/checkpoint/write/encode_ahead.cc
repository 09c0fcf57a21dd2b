#include "perdure/checkpoint/write/encode_ahead.h"

#include <algorithm>
#include <atomic>

#include "perdure/base/leaf_note.h"
#include "perdure/base/task_group.h"

namespace perdure::checkpoint {
namespace {

constexpr std::uint64_t kSharedBytesMin = 1 << 20;  // fewer are encoded sooner than a thread wakes

}  // namespace

std::optional<EncodedValue> EncodeAhead::next() {
  if (!is_compressed(values_[taken_])) {
    ++taken_;
    return std::nullopt;
  }
  if (ahead_.empty()) encode(next_batch());
  ++taken_;
  EncodedValue encoded = std::move(ahead_.front());
  ahead_.pop_front();
  return encoded;
}

std::vector<std::size_t> EncodeAhead::next_batch() const {
  std::vector<std::size_t> batch;
  std::uint64_t bytes = 0;
  for (const std::size_t value : values_.subspan(taken_)) {
    if (!is_compressed(value)) continue;
    const std::uint64_t held = 2 * array_of(value).chunk_bytes();
    if (!batch.empty() && held > kBytesMax - std::min(bytes, kBytesMax)) break;
    bytes += held;
    batch.push_back(value);
  }
  return batch;
}

void EncodeAhead::encode(std::span<const std::size_t> batch) {
  ahead_.resize(batch.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&](std::stop_token stop) {
    for (std::size_t i = next++; i < batch.size() && !stop.stop_requested(); i = next++) {
      const PlannedArray& array = array_of(batch[i]);
      with_leaf_note(array.name, [&] { ahead_[i] = ValueWriter::encode(array, plan_.values[batch[i]].chunk); });
    }
  };
  std::uint64_t bytes = 0;
  for (const std::size_t value : batch) bytes += array_of(value).chunk_bytes();
  const auto workers = std::min(batch.size(), static_cast<std::size_t>(executor_.concurrency()));
  if (workers < 2 || bytes < kSharedBytesMin) return work({});
  TaskGroup group(executor_);
  for (std::size_t i = 0; i < workers; ++i) group.run(work);
  group.wait();
}

}  // namespace perdure::checkpoint
