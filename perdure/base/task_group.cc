#include "perdure/base/task_group.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <utility>

namespace perdure {

struct TaskGroup::State {
  std::stop_source stop;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void(std::stop_token)>> queued;  // guarded by mutex
  std::size_t running_count = 0;                            // guarded by mutex
  std::exception_ptr first_failure;                         // guarded by mutex

  /// Runs the oldest queued task, if there is one. `lock` is let go meanwhile.
  void run_one(std::unique_lock<std::mutex>& lock) {
    if (queued.empty()) return;
    auto task = std::move(queued.front());
    queued.pop_front();
    ++running_count;
    lock.unlock();
    std::exception_ptr failure;
    try {
      task(stop.get_token());
    } catch (...) {
      failure = std::current_exception();
      stop.request_stop();
    }
    task = nullptr;  // what it holds goes before the group is told
    lock.lock();
    if (failure && !first_failure) first_failure = failure;
    --running_count;
    changed.notify_all();
  }

  void join(std::unique_lock<std::mutex>& lock) {
    while (!queued.empty() || running_count > 0) {
      run_one(lock);
      changed.wait(lock, [&] { return !queued.empty() || running_count == 0; });
    }
  }
};

TaskGroup::TaskGroup(Executor& executor) : executor_(executor), state_(std::make_shared<State>()) {}

TaskGroup::~TaskGroup() {
  state_->stop.request_stop();
  std::unique_lock lock(state_->mutex);
  state_->join(lock);
}

void TaskGroup::run(std::function<void(std::stop_token)> task) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->queued.push_back(std::move(task));
  }
  state_->changed.notify_all();
  executor_.run([state = state_] {
    std::unique_lock lock(state->mutex);
    state->run_one(lock);
  });
}

void TaskGroup::wait() {
  std::unique_lock lock(state_->mutex);
  state_->join(lock);
  if (state_->first_failure) std::rethrow_exception(std::exchange(state_->first_failure, nullptr));
}

}  // namespace perdure
