#pragma once
// Saving in the background: the call returns once everything that its caller may change has been copied.
//
//   perdure::SaveFuture saving = perdure::save_async("run/100", state);
//   train_on(state);   // may change every array
//   saving.result();   // durable from here on; throws what went wrong
//
// A program that ends finishes its saves. One that failed and about which nobody asked is reported on stderr when the program
// ends, whose exit status is then 1 instead of 0.
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "perdure/checkpoint/save.h"

namespace perdure {

namespace checkpoint {
class SaveJob;
}

/// Copies are the same save. Any thread may call any member. The save goes on when nobody holds it any more.
class SaveFuture {
 public:
  /// Starts to write what was added to `job`, which has begun and been staged.
  static SaveFuture start(std::unique_ptr<checkpoint::SaveJob> job);

  /// The same for one that has not: copies what may change first. What does not fit the stage is written before it returns.
  static SaveFuture stage_and_start(std::unique_ptr<checkpoint::SaveJob> job);

  /// True once the save has succeeded or failed and its thread is gone.
  bool wait_for(std::chrono::milliseconds time) const;
  /// Blocks; the statistics, or the failure, each time. Throws kCheckpoint in a forked child: its parent saves.
  SaveStatistics result() const;
  /// Asks the save to stop. If that is not too late, it fails with kCancelled and leaves nothing behind; at exit it is not reported.
  /// Does not wait.
  void cancel() const;
  /// Calls `callback` once the save has succeeded, on the save's thread, or now if it has already. Never after a failure.
  void on_complete(std::function<void()> callback) const;

 private:
  struct State;
  explicit SaveFuture(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

/// As save() and save_checkpointables(), which see. What they refuse is thrown here, at once; what fails later, by result().
SaveFuture save_async(const std::string& path, tree::FlatTree tree, const SaveOptions& options = {});
SaveFuture save_async(const std::string& path, const Value& state, const SaveOptions& options = {});
SaveFuture save_checkpointables_async(const std::string& path, std::vector<NamedTree> items, const SaveOptions& options = {});

}  // namespace perdure
