#pragma once
// The arrays of one save on their way from their owners to a file, as TransferOptions say.
#include <cstdint>
#include <vector>

#include "perdure/base/byte_limiter.h"
#include "perdure/base/leaf.h"
#include "perdure/checkpoint/transfer_options.h"

namespace perdure::checkpoint {

/// Moves the pieces into memory of their own, unless nobody may change them anyway.
void take_copy(ArrayLeaf& leaf);

/// Something that is written.
struct TransferredArray {
  std::uint32_t leaf_index = 0;
  TransferPriority priority = TransferPriority::kSynchronous;
  ArrayLeaf* leaf = nullptr;     // borrowed; its pieces move to the copy. nullptr: there is nothing to be copied
  std::uint64_t size_bytes = 0;  // of the leaf
  bool is_told = true;           // false for plain values
};
TransferredArray make_transferred(std::uint32_t leaf_index, TransferPriority priority, ArrayLeaf& leaf);

/// The arrays in the order in which they are written. First for the thread that saves, then for the one that writes.
class Transfers {
 public:
  /// Throws kInvalid for an array that the write limit never lets through. `options` are borrowed.
  Transfers(std::vector<TransferredArray> arrays, const TransferOptions& options);

  /// Around the copying of the synchronous arrays, where somebody copies them before the others are written.
  void begin_synchronous();
  void end_synchronous();

  /// Transfers the array with this position, and some of those behind it, unless that is done. Blocks until the write limit lets it
  /// through.
  void begin_write(std::size_t position);
  void end_write(std::size_t position);

 private:
  enum class State : std::uint8_t { kOwned, kKept, kCopied };
  bool is_synchronous(std::size_t position) const;
  void transfer_ahead(std::size_t position);
  void transfer(std::size_t position);
  void tell(void (LeafStatusSink::*event)(std::uint32_t), std::size_t position) const;

  std::vector<TransferredArray> arrays_;
  std::vector<State> states_;
  const TransferOptions& options_;
  std::uint64_t held_bytes_ = 0;  // of arrays transferred in the background and not yet written
  ByteLimiter::Permit permit_;
};

}  // namespace perdure::checkpoint
