#pragma once
// Compressed chunks on their way into a data file: encoded by several threads, some before it is their turn to be written.
#include <deque>
#include <optional>
#include <span>

#include "perdure/base/executor.h"
#include "perdure/checkpoint/write/value_writer.h"

namespace perdure::checkpoint {

/// For one thread.
class EncodeAhead {
 public:
  /// Of decoded and encoded chunks that are held at once; a larger chunk passes alone.
  static constexpr std::uint64_t kBytesMax = 64 << 20;

  /// `values`, of the plan, in the order in which they are written. Both are borrowed.
  EncodeAhead(const SavePlan& plan, std::span<const std::size_t> values, Executor& executor)
      : plan_(plan), values_(values), executor_(executor) {}

  /// The next value, encoded; nullopt if it is not to be compressed. Once for each value. Blocks.
  std::optional<EncodedValue> next();

 private:
  const PlannedArray& array_of(std::size_t value) const { return plan_.arrays[plan_.values[value].array]; }
  bool is_compressed(std::size_t value) const { return !array_of(value).metadata.codecs.is_plain(); }
  /// Compressed values from the next one on, as many as may be held.
  std::vector<std::size_t> next_batch() const;
  void encode(std::span<const std::size_t> batch);

  const SavePlan& plan_;
  const std::span<const std::size_t> values_;
  Executor& executor_;
  std::size_t taken_ = 0;           // of values_
  std::deque<EncodedValue> ahead_;  // of the compressed values that follow
};

}  // namespace perdure::checkpoint
