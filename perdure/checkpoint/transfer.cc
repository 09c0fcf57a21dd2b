#include "perdure/checkpoint/transfer.h"

#include <algorithm>
#include <utility>

#include "perdure/base/buffer_pool.h"
#include "perdure/base/error.h"

namespace perdure::checkpoint {
namespace {

using Event = void (LeafStatusSink::*)(std::uint32_t);

void tell(const TransferOptions& options, Event event, const TransferredArray& array) {
  if (options.status) (options.status.get()->*event)(array.leaf_index);
}

std::uint64_t size_of(const ArrayLeaf& leaf) {
  std::uint64_t size = 0;
  for (const ArrayPiece& piece : leaf.pieces) size = checked_add(size, piece.view.size_bytes());
  return size;
}

}  // namespace

TransferredArray::TransferredArray(std::uint32_t index, ArrayLeaf& array, TransferPriority when)
    : leaf_index(index), leaf(&array), priority(when), size_bytes(size_of(array)) {}

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

Transfers::Transfers(std::vector<TransferredArray> arrays, const TransferOptions& options)
    : arrays_(std::move(arrays)), stages_(arrays_.size(), Stage::kOwned), options_(options) {
  if (!options_.write_limiter) return;
  for (const TransferredArray& array : arrays_) {
    if (array.size_bytes <= options_.write_limiter->bytes_max()) continue;
    throw Error(ErrorKind::kInvalid, "an array of " + std::to_string(array.size_bytes) +
                                         " bytes: the limit of bytes being written is " +
                                         std::to_string(options_.write_limiter->bytes_max()));
  }
}

void Transfers::begin_synchronous() {
  for (const TransferredArray& array : arrays_) {
    if (array.priority == TransferPriority::kSynchronous) tell(options_, &LeafStatusSink::on_transfer_start, array);
  }
}

void Transfers::end_synchronous() {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    if (arrays_[i].priority != TransferPriority::kSynchronous) continue;
    stages_[i] = Stage::kTransferred;
    tell(options_, &LeafStatusSink::on_transfer_end, arrays_[i]);
  }
}

bool Transfers::is_held(std::size_t position) const { return arrays_[position].priority != TransferPriority::kSynchronous; }

void Transfers::transfer(std::size_t position) {
  const TransferredArray& array = arrays_[position];
  tell(options_, &LeafStatusSink::on_transfer_start, array);
  if (is_held(position)) {
    take_copy(*array.leaf);
    held_bytes_ += array.size_bytes;
  }
  stages_[position] = Stage::kTransferred;
  tell(options_, &LeafStatusSink::on_transfer_end, array);
}

void Transfers::transfer_ahead(std::size_t position) {
  const TransferPriority priority = arrays_[position].priority;
  for (; position < arrays_.size() && arrays_[position].priority == priority; ++position) {
    if (stages_[position] != Stage::kOwned) continue;
    if (held_bytes_ > 0 && arrays_[position].size_bytes > options_.bytes_max - std::min(held_bytes_, options_.bytes_max)) return;
    transfer(position);
  }
}

void Transfers::begin_write(std::size_t position) {
  if (is_held(position)) {
    transfer_ahead(position);
  } else if (stages_[position] == Stage::kOwned) {
    transfer(position);
  }
  if (options_.write_limiter) permit_ = options_.write_limiter->acquire(arrays_[position].size_bytes);
  tell(options_, &LeafStatusSink::on_write_start, arrays_[position]);
}

void Transfers::end_write(std::size_t position) {
  permit_.release();
  if (is_held(position)) {
    held_bytes_ -= arrays_[position].size_bytes;
    arrays_[position].leaf->owner.reset();
  }
  tell(options_, &LeafStatusSink::on_write_end, arrays_[position]);
}

}  // namespace perdure::checkpoint
