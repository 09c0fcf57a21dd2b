#include "perdure/checkpoint/write/transfer.h"

#include <algorithm>
#include <utility>

#include "perdure/base/buffer_pool.h"
#include "perdure/base/error.h"

namespace perdure::checkpoint {
namespace {

std::uint64_t size_of(const ArrayLeaf& leaf) {
  std::uint64_t size = 0;
  for (const ArrayPiece& piece : leaf.pieces) size = checked_add(size, piece.view.size_bytes());
  return size;
}

}  // namespace

void take_copy(ArrayLeaf& leaf) {
  if (leaf.immutable) return;
  const std::shared_ptr<std::byte> memory = allocate_result(size_of(leaf));
  std::byte* next = memory.get();
  for (ArrayPiece& piece : leaf.pieces) {
    const ArraySpan copy = ArraySpan::contiguous(next, piece.view.dtype, piece.view.shape);
    copy_array(piece.view, copy);
    piece.view = copy.view();
    next += piece.view.size_bytes();
  }
  leaf.owner = memory;
  leaf.immutable = true;
}

TransferredArray make_transferred(std::uint32_t leaf_index, TransferPriority priority, ArrayLeaf& leaf) {
  return {leaf_index, priority, &leaf, size_of(leaf), true};
}

Transfers::Transfers(std::vector<TransferredArray> arrays, const TransferOptions& options)
    : arrays_(std::move(arrays)), states_(arrays_.size(), State::kOwned), options_(options) {
  if (!options_.write_limiter) return;
  const std::uint64_t bytes_max = options_.write_limiter->bytes_max();
  for (const TransferredArray& array : arrays_) {
    if (array.size_bytes <= bytes_max) continue;
    throw Error(ErrorKind::kInvalid, "an array has " + std::to_string(array.size_bytes) + " bytes, and at most " +
                                         std::to_string(bytes_max) + " may be written at once");
  }
}

void Transfers::tell(void (LeafStatusSink::*event)(std::uint32_t), std::size_t position) const {
  if (options_.status && arrays_[position].is_told) (options_.status.get()->*event)(arrays_[position].leaf_index);
}

bool Transfers::is_synchronous(std::size_t position) const {
  return arrays_[position].priority == TransferPriority::kSynchronous;
}

void Transfers::begin_synchronous() {
  for (std::size_t i = 0; i < arrays_.size() && is_synchronous(i); ++i) tell(&LeafStatusSink::on_transfer_start, i);
}

void Transfers::end_synchronous() {
  for (std::size_t i = 0; i < arrays_.size() && is_synchronous(i); ++i) {
    states_[i] = State::kKept;
    tell(&LeafStatusSink::on_transfer_end, i);
  }
}

void Transfers::transfer(std::size_t position) {
  const TransferredArray& array = arrays_[position];
  tell(&LeafStatusSink::on_transfer_start, position);
  states_[position] = State::kKept;
  if (!is_synchronous(position)) {
    held_bytes_ += array.size_bytes;
    if (array.leaf != nullptr && !array.leaf->immutable) {
      take_copy(*array.leaf);
      states_[position] = State::kCopied;
    }
  }
  tell(&LeafStatusSink::on_transfer_end, position);
}

void Transfers::transfer_ahead(std::size_t position) {
  const TransferPriority priority = arrays_[position].priority;
  for (; position < arrays_.size() && arrays_[position].priority == priority; ++position) {
    if (states_[position] != State::kOwned) continue;
    const std::uint64_t room = options_.bytes_max - std::min(held_bytes_, options_.bytes_max);
    if (held_bytes_ > 0 && arrays_[position].size_bytes > room) return;
    transfer(position);
  }
}

void Transfers::begin_write(std::size_t position) {
  if (!is_synchronous(position)) {
    transfer_ahead(position);
  } else if (states_[position] == State::kOwned) {
    transfer(position);
  }
  if (options_.write_limiter) permit_ = options_.write_limiter->acquire(arrays_[position].size_bytes);
  tell(&LeafStatusSink::on_write_start, position);
}

void Transfers::end_write(std::size_t position) {
  permit_.release();
  if (!is_synchronous(position)) held_bytes_ -= arrays_[position].size_bytes;
  if (states_[position] == State::kCopied) arrays_[position].leaf->owner.reset();  // nobody looks at the copy again
  tell(&LeafStatusSink::on_write_end, position);
}

}  // namespace perdure::checkpoint
