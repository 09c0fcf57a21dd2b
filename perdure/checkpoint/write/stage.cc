#include "perdure/checkpoint/write/stage.h"

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <utility>

#include "perdure/base/buffer_pool.h"
#include "perdure/base/immortal.h"
#include "perdure/base/shape.h"
#include "perdure/base/task_group.h"

namespace perdure::checkpoint {
namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kTaskBytes = 4 << 20;  // enough to be worth a task, little enough to be shared out evenly
constexpr std::uint64_t kKeptSurplusMax = 2;   // a kept region that is more than twice too large is given back

}  // namespace

// ---- Stage

std::uint64_t Stage::bytes_of(const ArrayView& source) { return align_up(source.size_bytes(), kAlignment); }

ArrayView Stage::add(const ArrayView& source, std::shared_ptr<const void> owner) {
  std::byte* const target = owner_.get() + used_bytes_;
  used_bytes_ += bytes_of(source);
  assert(used_bytes_ <= size_bytes_);
  copies_.push_back({source, std::move(owner), target});
  return ArrayView::contiguous(target, source.dtype, source.shape);
}

void Stage::copy(Executor& executor) {
  TaskGroup group(executor);
  std::vector<const Copy*> small;
  std::uint64_t small_bytes = 0;
  const auto flush = [&] {
    group.run([batch = std::exchange(small, {})](std::stop_token) {
      for (const Copy* copy : batch) gather_bytes(copy->source, 0, {copy->target, copy->source.size_bytes()});
    });
    small_bytes = 0;
  };
  for (const Copy& copy : copies_) {
    const std::uint64_t size = copy.source.size_bytes();
    if (size < kTaskBytes) {
      small.push_back(&copy);
      if ((small_bytes += size) >= kTaskBytes) flush();
      continue;
    }
    for (std::uint64_t offset = 0; offset < size; offset += kTaskBytes) {
      group.run([&copy, offset, size](std::stop_token) {
        gather_bytes(copy.source, offset, {copy.target + offset, std::min(kTaskBytes, size - offset)});
      });
    }
  }
  if (!small.empty()) flush();
  group.wait();
  copies_.clear();
}

// ---- StageArena

struct StageArena::Shelf {
  struct Region {
    std::shared_ptr<std::byte> memory;
    std::uint64_t size_bytes = 0;
  };

  mutable std::mutex mutex;
  std::condition_variable changed;
  Region kept;                     // guarded by mutex
  std::uint64_t in_use_bytes = 0;  // guarded by mutex

  /// The kept region if it fits, else fresh memory.
  Region take(std::uint64_t size_bytes, std::uint64_t bytes_max) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return size_bytes <= bytes_max - std::min(bytes_max, in_use_bytes); });
    Region region = std::exchange(kept, {});
    const bool fits = region.size_bytes >= size_bytes && region.size_bytes / kKeptSurplusMax <= size_bytes &&
                      region.size_bytes <= bytes_max - in_use_bytes;
    if (!fits) region = {nullptr, size_bytes};
    in_use_bytes += region.size_bytes;
    return region;
  }

  void put_back(Region region) {
    {
      const std::lock_guard lock(mutex);
      in_use_bytes -= region.size_bytes;
      if (region.memory && region.size_bytes > kept.size_bytes) std::swap(kept, region);
    }
    changed.notify_all();
  }  // what was not kept goes here, after the mutex
};

StageArena::StageArena() : shelf_(std::make_shared<Shelf>()) {}
StageArena::~StageArena() = default;

std::optional<Stage> StageArena::try_stage(std::uint64_t size_bytes, std::uint64_t bytes_max) {
  if (size_bytes > bytes_max) return std::nullopt;
  Stage stage;
  if (size_bytes == 0) return stage;
  Shelf::Region region = shelf_->take(size_bytes, bytes_max);
  if (!region.memory) {
    try {
      region.memory = allocate_result(size_bytes);
    } catch (...) {
      shelf_->put_back(std::move(region));
      throw;
    }
  }
  stage.size_bytes_ = region.size_bytes;
  std::byte* const begin = region.memory.get();
  stage.owner_ = std::shared_ptr<std::byte>(
      begin, [shelf = shelf_, region = std::move(region)](std::byte*) mutable { shelf->put_back(std::move(region)); });
  return stage;
}

std::uint64_t StageArena::held_bytes() const {
  const std::lock_guard lock(shelf_->mutex);
  return shelf_->in_use_bytes + shelf_->kept.size_bytes;
}

StageArena& stage_arena() {
  static auto& arena = make_immortal<StageArena>();
  return arena;
}

}  // namespace perdure::checkpoint
