#include "perdure/base/background.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "perdure/base/error.h"
#include "perdure/base/executor.h"

namespace perdure {

struct BackgroundTask::State {
  const pid_t pid = ::getpid();
  std::mutex mutex;
  std::condition_variable changed;
  std::thread thread;      // guarded by mutex; joined by the first who finds the work done
  std::thread::id worker;  // guarded by mutex
  bool done = false;       // guarded by mutex
  bool joined = false;     // guarded by mutex

  void run(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex);
      worker = std::this_thread::get_id();
    }
    work();
    work = nullptr;  // what it holds goes before anybody is told
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_all();
  }

  /// True: done and joined. On the task's own thread: at once.
  bool wait_until(std::chrono::steady_clock::time_point end) {
    std::unique_lock lock(mutex);
    if (worker == std::this_thread::get_id()) return true;
    if (!changed.wait_until(lock, end, [&] { return done; })) return false;
    if (std::thread ending = std::move(thread); ending.joinable()) {
      lock.unlock();
      ending.join();  // at once: nothing is left to do on it
      lock.lock();
      joined = true;
      changed.notify_all();
    }
    changed.wait(lock, [&] { return joined; });
    return true;
  }
};

namespace {

constexpr std::chrono::hours kLong{24};  // far from overflowing a clock

}  // namespace

/// All tasks whose threads have not been joined.
class BackgroundTask::Unjoined {
 public:
  void add(std::shared_ptr<State> task) {
    reap();
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }

  void wait_for_all() {
    while (const std::shared_ptr<State> task = first()) {
      while (!task->wait_until(std::chrono::steady_clock::now() + kLong)) {
      }
      remove(task);
    }
  }

 private:
  std::shared_ptr<State> first() {
    const std::lock_guard lock(mutex_);
    return tasks_.empty() ? nullptr : tasks_.front();
  }

  void remove(const std::shared_ptr<State>& task) {
    const std::lock_guard lock(mutex_);
    std::erase(tasks_, task);
  }

  /// Joins the threads of tasks that are done and that nobody waited for.
  void reap() {
    std::vector<std::shared_ptr<State>> tasks;
    {
      const std::lock_guard lock(mutex_);
      tasks = tasks_;
    }
    for (const auto& task : tasks) {
      if (task->wait_until(std::chrono::steady_clock::now())) remove(task);
    }
  }

  std::mutex mutex_;
  std::vector<std::shared_ptr<State>> tasks_;  // guarded by mutex_
};

BackgroundTask::Unjoined& BackgroundTask::unjoined() {
  static std::atomic<Unjoined*> current{new Unjoined};  // never destroyed: threads may outlive static objects
  // A child of a fork has none of its parent's threads: it forgets them, and the mutexes that they may hold.
  static const bool hooked [[maybe_unused]] = ::pthread_atfork(nullptr, nullptr, [] { current.store(new Unjoined); }) == 0;
  return *current.load();
}

BackgroundTask::BackgroundTask(std::shared_ptr<State> state) : state_(std::move(state)) {}
BackgroundTask::~BackgroundTask() = default;

std::shared_ptr<BackgroundTask> BackgroundTask::start(std::function<void()> work) {
  default_executor();  // its exit handler must run after ours
  static const bool hooked [[maybe_unused]] = std::atexit(wait_for_background_tasks) == 0;
  auto state = std::make_shared<State>();
  {
    const std::lock_guard lock(state->mutex);
    try {
      state->thread = std::thread([state, work = std::move(work)]() mutable { state->run(std::move(work)); });
    } catch (const std::system_error& error) {
      throw Error(ErrorKind::kIo, std::string("cannot start a thread: ") + error.what(), error.code().value());
    }
  }
  unjoined().add(state);
  return std::shared_ptr<BackgroundTask>(new BackgroundTask(std::move(state)));
}

bool BackgroundTask::wait_for(std::chrono::milliseconds time) {
  if (state_->pid != ::getpid()) {
    throw Error(ErrorKind::kCheckpoint, "this work is done by the process that started it, not by its forked child");
  }
  return state_->wait_until(std::chrono::steady_clock::now() + std::min<std::chrono::milliseconds>(time, kLong));
}

void BackgroundTask::wait() {
  while (!wait_for(kLong)) {
  }
}

void wait_for_background_tasks() { BackgroundTask::unjoined().wait_for_all(); }

}  // namespace perdure
