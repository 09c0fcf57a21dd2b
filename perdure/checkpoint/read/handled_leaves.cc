#include "perdure/checkpoint/read/handled_leaves.h"

#include "perdure/base/error.h"
#include "perdure/base/leaf_note.h"
#include "perdure/checkpoint/document/leaf_kinds/handled.h"
#include "perdure/tree/names.h"

namespace perdure::checkpoint {

HandledLeaves::HandledLeaves(const Checkpoint& checkpoint, const TreeItem& item, const LoadOptions& options)
    : checkpoint_(checkpoint),
      item_(item),
      options_(options),
      handlers_(options.leaf_handlers != nullptr ? *options.leaf_handlers : default_leaf_handlers()) {}

const std::string& HandledLeaves::name(std::uint32_t stored_leaf) {
  if (names_.empty()) names_ = tree::leaf_names(item_.structure());
  return names_[stored_leaf];
}

bool HandledLeaves::has(std::uint32_t stored_leaf) {
  const Handled* const handled = find_handled(item_.leaves()[stored_leaf]);
  if (handled == nullptr) return false;
  if (handlers_.find(handled->typestr) == nullptr) {
    throw Error(ErrorKind::kNoHandler, "unknown value type '" + handled->typestr + "' of leaf '" + name(stored_leaf) +
                                           "': no leaf handler of this name is registered");
  }
  if (!parts_) parts_.emplace(checkpoint_.tree_path(options_.checkpointable_name), options_.open, options_.read);
  return true;
}

Scalar HandledLeaves::make(std::uint32_t stored_leaf) {
  const Handled& handled = *find_handled(item_.leaves()[stored_leaf]);
  const AnyLeafHandler& handler = *handlers_.find(handled.typestr)->handler;
  return with_leaf_note(name(stored_leaf), [&] {
    return Handled{handled.typestr, handler.deserialize(LeafInput(part_prefix(name(stored_leaf)), *parts_)), &handler.type()};
  });
}

void HandledLeaves::check_not_replaced() const {
  if (parts_) checkpoint_.check_not_replaced();
}

void HandledLeaves::spend(const LoadedArray& array) {
  if (parts_) parts_->spend(array.view.size_bytes());
}

}  // namespace perdure::checkpoint
