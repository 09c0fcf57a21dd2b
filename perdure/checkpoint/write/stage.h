#pragma once
// Copies of memory that its owner may change while it is being saved.
//
// The memory for the copies is one huge-page-backed region for a save, kept for the next one: the first touch of fresh memory
// costs more than the copy.
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "perdure/base/array_view.h"
#include "perdure/base/executor.h"

namespace perdure::checkpoint {

/// The copies of one save. For one thread.
class Stage {
 public:
  /// Where the copy of `source` will be, in C order; it is there after copy(), which lets go of `owner`. The sum of all must not
  /// exceed what was asked for.
  ArrayView add(const ArrayView& source, std::shared_ptr<const void> owner);
  /// Copies everything added, in parallel. Blocks.
  void copy(Executor& executor);
  /// Keeps the copies alive.
  const std::shared_ptr<std::byte>& owner() const { return owner_; }

  /// Bytes that one copy takes of a stage.
  static std::uint64_t bytes_of(const ArrayView& source);

 private:
  friend class StageArena;
  struct Copy {
    ArrayView source;
    std::shared_ptr<const void> source_owner;
    std::byte* target = nullptr;
  };
  std::shared_ptr<std::byte> owner_;
  std::uint64_t size_bytes_ = 0;
  std::uint64_t used_bytes_ = 0;
  std::vector<Copy> copies_;
};

/// Any thread may call any member.
class StageArena {
 public:
  StageArena();
  ~StageArena();
  /// Memory for copies of `size_bytes`. While other saves hold so much that the sum would exceed `bytes_max`, blocks until they
  /// are done. nullopt for more than `bytes_max` at once.
  std::optional<Stage> try_stage(std::uint64_t size_bytes, std::uint64_t bytes_max);
  std::uint64_t held_bytes() const;  // in use and kept

 private:
  struct Shelf;
  std::shared_ptr<Shelf> shelf_;  // regions in use keep it
};

/// The process-wide one. It keeps the region of the last save.
StageArena& stage_arena();

}  // namespace perdure::checkpoint
