#include "perdure/checkpoint/tree_item_writer.h"

#include <utility>

#include "perdure/checkpoint/layout.h"
#include "perdure/checkpoint/stage.h"
#include "perdure/checkpoint/tree_writer.h"

namespace perdure::checkpoint {
namespace {

/// The leaf behind a planned array; nullptr for a plain value.
ArrayLeaf* array_leaf(NamedTree& item, const PlannedArray& array) {
  return std::get_if<ArrayLeaf>(&item.tree.leaves[array.leaf_index]);
}

bool is_mutable(const ArrayLeaf* leaf) { return leaf != nullptr && !leaf->immutable; }

}  // namespace

TreeItemWriter::TreeItemWriter(NamedTree item, const ArraySaveOptions& options)
    : item_(std::move(item)), plan_(plan_save(item_, options)) {}

std::uint64_t TreeItemWriter::mutable_bytes() const {
  std::uint64_t total = 0;
  for (const PlannedArray& array : plan_.arrays) {
    const auto* leaf = std::get_if<ArrayLeaf>(&item_.tree.leaves[array.leaf_index]);
    if (array.tied_to || !is_mutable(leaf)) continue;
    for (const ArrayPiece& piece : leaf->pieces) total = checked_add(total, Stage::bytes_of(piece.view));
  }
  return total;
}

void TreeItemWriter::stage(Stage& stage) {
  for (const PlannedArray& array : plan_.arrays) {
    ArrayLeaf* const leaf = array_leaf(item_, array);
    if (!is_mutable(leaf)) continue;
    const std::shared_ptr<const void> owner = std::exchange(leaf->owner, stage.owner());
    if (array.tied_to) continue;  // its memory is not read again
    for (ArrayPiece& piece : leaf->pieces) piece.view = stage.add(piece.view, owner);
  }
}

void TreeItemWriter::write(ItemDirectory& directory) {
  ListedFile list = write_tree(plan_, directory.path(), directory.context());
  list.name = kFileListFile;
  directory.note(std::move(list));
}

}  // namespace perdure::checkpoint
