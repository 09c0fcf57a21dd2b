#pragma once
// When the arrays of a tree leave the memory of their owner on their way to a file, and who is told.
//
// Synchronous arrays are transferred while the caller of a save waits. All others in the background, in the order in which they are
// written: prioritized ones as far ahead as a budget of bytes allows, deprioritized ones not before every prioritized one is
// written. To transfer is to copy; memory that nobody may change is only kept alive. Where one array is stored for several
// (tied to it, or slices of it, in a database), it has the earliest of their priorities.
#include <cstdint>
#include <memory>
#include <vector>

namespace perdure {

class ByteLimiter;

enum class TransferPriority : std::uint8_t { kSynchronous, kPrioritized, kDeprioritized };

/// Told how far each array is, by its leaf index: the four events of one in this order, of synchronous ones the transfers by the
/// thread that saves, all others by the thread that writes. What a member throws fails the save.
class LeafStatusSink {
 public:
  virtual ~LeafStatusSink() = default;
  virtual void on_transfer_start(std::uint32_t leaf_index) = 0;
  virtual void on_transfer_end(std::uint32_t leaf_index) = 0;  // the owner may change the array
  virtual void on_write_start(std::uint32_t leaf_index) = 0;
  virtual void on_write_end(std::uint32_t leaf_index) = 0;
};

struct TransferOptions {
  bool copies = true;  // false: their owners do not change the arrays before the save is over; none is copied
  std::vector<TransferPriority> priorities{};  // by leaf index; empty: all are synchronous
  std::shared_ptr<LeafStatusSink> status{};    // may be null
  /// Of arrays that are transferred in the background and not yet written; a larger one passes alone.
  std::uint64_t bytes_max = ~std::uint64_t{0};
  std::shared_ptr<ByteLimiter> write_limiter{};  // of arrays being written; a larger one is refused; may be null

  TransferPriority priority(std::uint32_t leaf_index) const {
    return priorities.empty() ? TransferPriority::kSynchronous : priorities[leaf_index];
  }
};

}  // namespace perdure
