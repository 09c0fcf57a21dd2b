#pragma once
// Gets blocks into a file by the fastest way that the machine, the file system and the container allow:
// O_DIRECT through io_uring, O_DIRECT from a thread, or the page cache. What a way refuses is written again by the next one.
#include <cstddef>
#include <memory>

#include "perdure/storage/data_file_writer.h"
#include "perdure/storage/write_queue.h"

namespace perdure::storage {

/// For one thread. Waits for what is in flight when it goes.
class BlockWriter {
 public:
  BlockWriter(File& file, const DataFileOptions& options, WriteStatistics& statistics);

  /// Starts to write; blocks while the queue is full. Throws the failure of this or of an earlier block.
  void write(Block block);
  /// Waits until all is written.
  void drain();
  /// What the size of every block must be a multiple of, as must its memory and offset.
  std::size_t alignment();
  /// For a file too small to be worth more. Before the first write().
  void use_page_cache();

 private:
  enum class Way { kIoUring, kDirect, kBuffered };
  void open_queue();
  void push(Block block);
  void finish_one();
  void fall_back(Block refused);
  [[noreturn]] void fail(const WriteResult& result) const;

  File& file_;
  const bool simulated_;
  WriteStatistics& statistics_;
  Way way_;
  std::unique_ptr<WriteQueue> queue_;  // made when first needed
};

}  // namespace perdure::storage
