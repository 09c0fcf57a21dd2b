#pragma once
// The part of a save that a handler written in Python writes: the engine makes the directory and waits for the handler.
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "perdure/checkpoint/item_writer.h"

namespace perdure::python {

/// What both sides know. Any thread may call any member.
class ForeignPart {
 public:
  /// The handler's background part is about to run: from now on a failed save waits for it.
  void start();
  /// It has ended; with a text if it failed.
  void finish(std::optional<std::string> failure);
  /// Makes a directory that the handler waits for. Throws kCancelled once the part has ended: nobody may write there then.
  void make_directory(const std::string& path);
  /// Blocks until it has ended. Throws kCheckpoint with the text if it failed. Never with the GIL held.
  void wait();
  /// The same without the outcome; returns at once if it was never started.
  void settle();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool started_ = false;                // guarded by mutex_
  bool finished_ = false;               // guarded by mutex_
  std::optional<std::string> failure_;  // guarded by mutex_
};

class ForeignWriter final : public ItemWriter {
 public:
  explicit ForeignWriter(std::shared_ptr<ForeignPart> part) : part_(std::move(part)) {}
  void write(ItemDirectory&) override { part_->wait(); }
  void settle() noexcept override { part_->settle(); }

 private:
  const std::shared_ptr<ForeignPart> part_;
};

}  // namespace perdure::python
