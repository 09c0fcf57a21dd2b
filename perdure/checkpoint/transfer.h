#pragma once
// When arrays leave the memory of their owner on their way to a file, and who is told.
//
// Synchronous arrays are transferred while the caller of a save waits. All others in the background, in the order in which they are
// written: prioritized ones as far ahead as a budget of bytes allows, deprioritized ones not before every prioritized one is
// written. To transfer is to copy; memory that nobody may change is only kept alive.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "perdure/base/byte_limiter.h"
#include "perdure/base/leaf.h"

namespace perdure {

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
  std::vector<TransferPriority> priorities;  // by leaf index; empty: all are synchronous
  std::shared_ptr<LeafStatusSink> status;    // may be null
  std::uint64_t bytes_max =
      ~std::uint64_t{0};  // of arrays that are transferred in the background and not yet written; a larger one passes alone
  std::shared_ptr<ByteLimiter> write_limiter{};  // of arrays being written; a larger one is refused; may be null

  TransferPriority priority(std::uint32_t leaf_index) const {
    return priorities.empty() ? TransferPriority::kSynchronous : priorities[leaf_index];
  }
};

namespace checkpoint {

/// An array on its way.
struct TransferredArray {
  std::uint32_t leaf_index = 0;
  ArrayLeaf* leaf = nullptr;  // borrowed; its pieces move to the copy
  TransferPriority priority = TransferPriority::kSynchronous;
  std::uint64_t size_bytes = 0;

  TransferredArray(std::uint32_t index, ArrayLeaf& array, TransferPriority when);
};

/// Moves the pieces into memory of their own, unless nobody may change them anyway.
void take_copy(ArrayLeaf& leaf);

/// The arrays of one item in the order in which they are written. First for the thread that saves, then for the one that writes.
class Transfers {
 public:
  /// Throws kInvalid for an array that its write limit never lets through.
  Transfers(std::vector<TransferredArray> arrays, const TransferOptions& options);

  /// Around the copying of the synchronous arrays, where somebody copies them.
  void begin_synchronous();
  void end_synchronous();

  /// Transfers the array with this position, and some of those behind it, unless that is done. Blocks until the write limit lets it
  /// through.
  void begin_write(std::size_t position);
  void end_write(std::size_t position);

 private:
  enum class Stage : std::uint8_t { kOwned, kTransferred };
  bool is_held(std::size_t position) const;
  void transfer_ahead(std::size_t position);
  void transfer(std::size_t position);

  std::vector<TransferredArray> arrays_;
  std::vector<Stage> stages_;
  const TransferOptions& options_;
  std::uint64_t held_bytes_ = 0;  // of arrays transferred in the background and not yet written
  ByteLimiter::Permit permit_;
};

}  // namespace checkpoint
}  // namespace perdure
