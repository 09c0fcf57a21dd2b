#pragma once
// Structured concurrency: no task outlives its group; the first failure wins.
//
// Whoever waits works: wait() runs tasks of its group that no thread has taken yet. So groups may nest to any depth on a
// pool of any size without a deadlock.
#include <functional>
#include <memory>
#include <stop_token>

#include "perdure/base/executor.h"

namespace perdure {

/// run() and wait() belong to the thread that made the group (tasks may call run() too).
class TaskGroup {
 public:
  explicit TaskGroup(Executor& executor);
  ~TaskGroup();  // asks the tasks to stop and joins them; a failure that nobody waited for is dropped
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// Queues a task. Its stop token is set once another task has failed.
  void run(std::function<void(std::stop_token)> task);
  /// Joins all tasks, then throws the first failure. Blocks. The group can be used again afterwards if nothing failed.
  void wait();

 private:
  struct State;
  Executor& executor_;
  const std::shared_ptr<State> state_;  // shared with the executor, which may come late to a task that wait() has run
};

}  // namespace perdure
