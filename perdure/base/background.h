#pragma once
// Work that goes on after its caller has returned, each piece on a thread of its own, and that a program finishes before it ends.
#include <chrono>
#include <functional>
#include <memory>

namespace perdure {

/// Any thread may call any member. A task goes on when nobody holds it any more.
class BackgroundTask {
 public:
  /// Starts `work`, which must not throw. Throws kIo if the system gives no thread.
  static std::shared_ptr<BackgroundTask> start(std::function<void()> work);
  ~BackgroundTask();

  /// True once the work is done and its thread is gone; on that thread itself at once. Throws kCheckpoint in a forked child, where nobody does the work.
  bool wait_for(std::chrono::milliseconds time);
  void wait();

 private:
  struct State;
  class Unjoined;
  static Unjoined& unjoined();
  friend void wait_for_background_tasks();
  explicit BackgroundTask(std::shared_ptr<State> state);
  const std::shared_ptr<State> state_;
};

/// Waits for every task that was started, also while others are being started. Called at exit.
void wait_for_background_tasks();

}  // namespace perdure
