#include "perdure/checkpoint/write/tree_item_writer.h"

#include <utility>

#include "perdure/checkpoint/write/item_files.h"
#include "perdure/checkpoint/write/stage.h"

namespace perdure::checkpoint {
namespace {

bool is_plain(const TransferOptions& options) { return options.priorities.empty() && !options.status && !options.write_limiter; }

NamedTree as_promised(NamedTree item) {
  if (item.transfer.copies) return item;
  for (Leaf& leaf : item.tree.leaves) {
    if (auto* const array = std::get_if<ArrayLeaf>(&leaf)) array->immutable = true;
  }
  return item;
}

HandlerOutput output_of(const LeafHandlerRegistry* handlers, NamedTree& item) {
  if (handlers == nullptr) return {};
  HandlerOutput output = serialize_handled(item.tree, *handlers);
  for (HandledArray& array : output.arrays) array.leaf.immutable |= !item.transfer.copies;
  return output;
}

template <class Tree, class Output>
auto leaf_behind(const PlannedArray& array, Tree& tree, Output& handled) {
  return array.part ? &handled.arrays[*array.part].leaf : std::get_if<ArrayLeaf>(&tree.leaves[array.leaf_index]);
}

}  // namespace

TreeItemWriter::TreeItemWriter(NamedTree item, const SaveOptions& options)
    : TreeItemWriter(std::move(item), options.arrays,
                     options.leaf_handlers != nullptr ? options.leaf_handlers : &default_leaf_handlers()) {}

TreeItemWriter::TreeItemWriter(NamedTree item, const ArraySaveOptions& options, const LeafHandlerRegistry* handlers)
    : item_(as_promised(std::move(item))), handled_(output_of(handlers, item_)), plan_(plan_save(item_, options, handled_)) {
  for (const PlannedArray& array : plan_.arrays) {
    if (ArrayLeaf* const leaf = leaf_of(array))
      leaf->immutable = array.is_immutable;  // not if it is written for one that may change
  }
  if (is_plain(item_.transfer)) return;
  std::vector<TransferredArray> arrays;
  for (const std::size_t index : plan_.array_order) {
    const PlannedArray& array = plan_.arrays[index];
    ArrayLeaf* const leaf = leaf_of(array);
    if (leaf != nullptr && array.is_written()) {
      arrays.push_back(make_transferred(array.leaf_index, array.priority, *leaf));
    } else {
      arrays.push_back({.leaf_index = array.leaf_index, .priority = array.priority, .is_told = leaf != nullptr});
    }
  }
  transfers_ = std::make_unique<Transfers>(std::move(arrays), item_.transfer);
}

ArrayLeaf* TreeItemWriter::leaf_of(const PlannedArray& array) { return leaf_behind(array, item_.tree, handled_); }
const ArrayLeaf* TreeItemWriter::leaf_of(const PlannedArray& array) const { return leaf_behind(array, item_.tree, handled_); }

bool TreeItemWriter::is_staged(const PlannedArray& array) const {
  const ArrayLeaf* const leaf = leaf_of(array);
  return leaf != nullptr && !leaf->immutable && array.priority == TransferPriority::kSynchronous;
}

std::uint64_t TreeItemWriter::mutable_bytes() const {
  std::uint64_t total = 0;
  for (const PlannedArray& array : plan_.arrays) {
    if (!is_staged(array) || !array.is_written()) continue;
    for (const ArrayPiece& piece : leaf_of(array)->pieces) total = checked_add(total, Stage::bytes_of(piece.view));
  }
  return total;
}

void TreeItemWriter::stage(Stage& stage) {
  if (transfers_) transfers_->begin_synchronous();
  for (PlannedArray& array : plan_.arrays) {
    if (!is_staged(array)) continue;
    ArrayLeaf* const leaf = leaf_of(array);
    array.is_immutable = true;  // the copy is ours: it is written from where it lies
    const std::shared_ptr<const void> owner = std::exchange(leaf->owner, stage.owner());
    if (!array.is_written()) continue;
    for (ArrayPiece& piece : leaf->pieces) piece.view = stage.add(piece.view, owner);
  }
}

void TreeItemWriter::end_stage() {
  if (transfers_) transfers_->end_synchronous();
}

void TreeItemWriter::keep() {
  if (transfers_) transfers_->begin_synchronous();
  end_stage();
}

void TreeItemWriter::write(ItemDirectory& directory) { write_item_files(plan_, directory.files(), transfers_.get()); }

}  // namespace perdure::checkpoint
