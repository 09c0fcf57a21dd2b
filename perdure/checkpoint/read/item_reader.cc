#include "perdure/checkpoint/read/item_reader.h"

#include "perdure/base/error.h"
#include "perdure/checkpoint/read/mapped_arrays.h"
#include "perdure/checkpoint/read/result_memory.h"

namespace perdure::checkpoint {
namespace {

/// The state of one call.
class Reading {
 public:
  Reading(std::vector<ArrayToRead> arrays, const ReadContext& context)
      : context_(context), plan_(plan_read(*context.store, std::move(arrays))) {}

  std::vector<LoadedArray> run(const std::vector<const ArrayRequest*>& requests, const ReadOptions& options, FileSystem& fs) {
    results_.resize(requests.size());
    targets_.resize(requests.size());
    check_sizes(options.bytes_at_once_max);
    take_given(requests);
    if (options.map) take_mapped(requests, fs);
    take_fresh(options.bytes_max);
    forget_what_need_not_be_read();
    read_all(options.bytes_at_once_max);
    for (std::size_t i = 0; i < results_.size(); ++i) results_[i].cast_changed_values = targets_[i].cast_changed_values;
    return std::move(results_);
  }

 private:
  void place(std::size_t i, std::byte* data, std::shared_ptr<const void> owner) {
    targets_[i].span = ArraySpan::contiguous(data, plan_.arrays[i].dtype, plan_.arrays[i].box.extent);
    results_[i].view = targets_[i].span.view();
    results_[i].owner = std::move(owner);
  }

  void take_given(const std::vector<const ArrayRequest*>& requests) {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (!requests[i]->target) continue;
      targets_[i].span = *requests[i]->target;
      results_[i].view = targets_[i].span.view();
    }
  }

  void take_mapped(const std::vector<const ArrayRequest*>& requests, FileSystem& fs) {
    std::vector<bool> candidates(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i) {
      candidates[i] = !requests[i]->target && plan_.arrays[i].dtype == plan_.arrays[i].metadata().dtype;
    }
    const std::vector<Blob> mapped = map_arrays(plan_, candidates, fs);
    for (std::size_t i = 0; i < mapped.size(); ++i) {
      if (mapped[i].empty()) continue;
      place(i, const_cast<std::byte*>(mapped[i].data()), mapped[i].owner());  // private and writable: File::map
      targets_[i].in_place = true;
    }
  }

  void take_fresh(std::uint64_t bytes_max) {
    std::vector<std::size_t> fresh;
    std::vector<std::uint64_t> sizes;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (targets_[i].span.data != nullptr) continue;
      fresh.push_back(i);
      sizes.push_back(size_of(i));
    }
    std::vector<ResultMemory> memory = allocate_results(sizes, bytes_max);
    for (std::size_t i = 0; i < fresh.size(); ++i) place(fresh[i], memory[i].data, std::move(memory[i].owner));
  }

  std::uint64_t size_of(std::size_t i) const {
    return checked_multiply(plan_.arrays[i].box.extent.element_count(), itemsize(plan_.arrays[i].dtype));
  }

  void check_sizes(std::uint64_t at_once_max) const {
    for (std::size_t i = 0; i < plan_.arrays.size(); ++i) {
      if (size_of(i) <= at_once_max) continue;
      throw Error(ErrorKind::kInvalid, "leaf '" + plan_.arrays[i].name() + "' has " + std::to_string(size_of(i)) +
                                           " bytes, and at most " + std::to_string(at_once_max) + " may be read at once");
    }
  }

  /// As many arrays at once as the limit lets through.
  void read_all(std::uint64_t at_once_max) {
    if (at_once_max == ~std::uint64_t{0}) return read_chunks(plan_, targets_, context_);
    std::vector<std::size_t> turn_of(plan_.arrays.size());
    std::size_t turn = 0;
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < turn_of.size(); ++i) {
      if (size_of(i) > at_once_max - bytes) {
        ++turn;
        bytes = 0;
      }
      bytes += size_of(i);
      turn_of[i] = turn;
    }
    std::vector<std::vector<ChunkToRead>> turns(turn + 1);
    for (ChunkToRead& chunk : plan_.chunks) turns[turn_of[chunk.array]].push_back(std::move(chunk));
    for (std::vector<ChunkToRead>& chunks : turns) {
      plan_.chunks = std::move(chunks);
      read_chunks(plan_, targets_, context_);
    }
  }

  void forget_what_need_not_be_read() {
    if (context_.verify) return;
    std::erase_if(plan_.chunks, [&](const ChunkToRead& chunk) { return targets_[chunk.array].in_place; });
  }

  const ReadContext context_;
  ReadPlan plan_;
  std::vector<ReadTarget> targets_;
  std::vector<LoadedArray> results_;
};

}  // namespace

std::vector<LoadedArray> read_arrays(std::vector<ArrayToRead> arrays, const std::vector<const ArrayRequest*>& requests,
                                     const ReadOptions& options, const ReadContext& context, FileSystem& fs) {
  return Reading(std::move(arrays), context).run(requests, options, fs);
}

}  // namespace perdure::checkpoint
