#pragma once
// Structured concurrency: no task outlives its group; the first failure wins.
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>

#include "perdure/base/executor.h"

namespace perdure {

/// run() and wait() belong to the thread that made the group (tasks may call run() too).
class TaskGroup {
 public:
  explicit TaskGroup(Executor& executor) : executor_(executor) {}
  ~TaskGroup();  // asks the tasks to stop and joins them; a failure that nobody waited for is dropped
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// Queues a task. Its stop token is set once another task has failed.
  void run(std::function<void(std::stop_token)> task);
  /// Joins all tasks, then throws the first failure. Blocks.
  void wait();

 private:
  void join();
  Executor& executor_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::size_t running_ = 0;           // guarded by mutex_
  std::exception_ptr first_failure_;  // guarded by mutex_
};

}  // namespace perdure
