#pragma once
// The writer of a tree: planned when it is made, so that what cannot be saved is refused then.
#include <memory>

#include "perdure/checkpoint/item_writer.h"
#include "perdure/checkpoint/plan/save_plan.h"
#include "perdure/checkpoint/write/transfer.h"

namespace perdure::checkpoint {

class TreeItemWriter final : public ItemWriter {
 public:
  /// `handlers` serialize the objects among the leaves; nullptr: somebody else does so. Throws kInputType or kInvalid with the key path
  /// for what cannot be stored.
  TreeItemWriter(NamedTree item, const ArraySaveOptions& options, const LeafHandlerRegistry* handlers);
  /// With the handlers of the options.
  TreeItemWriter(NamedTree item, const SaveOptions& options);

  std::uint64_t array_bytes() const override { return plan_.array_bytes; }
  std::uint64_t mutable_bytes() const override;
  void stage(Stage& stage) override;
  void end_stage() override;
  void keep() override;
  void write(ItemDirectory& directory) override;

 private:
  /// The leaf behind an array; nullptr for a plain value.
  ArrayLeaf* leaf_of(const PlannedArray& array);
  const ArrayLeaf* leaf_of(const PlannedArray& array) const;
  /// Whether it is to be copied while its owner waits.
  bool is_staged(const PlannedArray& array) const;

  NamedTree item_;
  HandlerOutput handled_;
  SavePlan plan_;                         // borrows from both
  std::unique_ptr<Transfers> transfers_;  // borrows from all; null: all are synchronous, and nobody is told
};

}  // namespace perdure::checkpoint
