#include "perdure/base/executor.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "perdure/base/immortal.h"

namespace perdure {
namespace {

class InlineExecutor : public Executor {
 public:
  void run(std::function<void()> task) override { task(); }
  int concurrency() const override { return 1; }
};

int usable_cores() {
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof(cores), &cores) == 0) return std::max(1, CPU_COUNT(&cores));
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

class ThreadPool : public Executor {
 public:
  explicit ThreadPool(int threads_max) : threads_max_(threads_max) {}
  ~ThreadPool() override {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    changed_.notify_all();  // the threads finish what is queued; jthread joins them
  }

  void run(std::function<void()> task) override {
    std::unique_lock lock(mutex_);
    tasks_.push_back(std::move(task));
    if (idle_count_ < tasks_.size() && !start_thread() && threads_.empty()) {
      std::function<void()> only = std::move(tasks_.back());
      tasks_.pop_back();
      lock.unlock();
      only();  // the system gives us no thread at all
      return;
    }
    changed_.notify_one();
  }
  int concurrency() const override { return threads_max_; }

 private:
  bool start_thread() {
    if (threads_.size() >= static_cast<std::size_t>(threads_max_)) return false;
    try {
      threads_.emplace_back([this] { work(); });
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_count_;
      changed_.wait(lock, [&] { return closing_ || !tasks_.empty(); });
      --idle_count_;
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  const int threads_max_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;  // guarded by mutex_
  std::size_t idle_count_ = 0;               // guarded by mutex_
  bool closing_ = false;                     // guarded by mutex_
  std::vector<std::jthread> threads_;        // guarded by mutex_; last, so that it is joined first
};

std::atomic<ThreadPool*> default_pool{nullptr};

/// The threads of the parent do not exist in a child, and its mutex may be held by one of them: the child forgets the pool.
void forget_pool_in_child() { default_pool.store(nullptr); }
void join_pool_at_exit() { delete default_pool.exchange(nullptr); }

}  // namespace

Executor& inline_executor() {
  static auto& executor = make_immortal<InlineExecutor>();
  return executor;
}

Executor& default_executor() {
  static const bool hooked [[maybe_unused]] =
      ::pthread_atfork(nullptr, nullptr, forget_pool_in_child) == 0 && std::atexit(join_pool_at_exit) == 0;
  if (ThreadPool* pool = default_pool.load()) return *pool;
  auto fresh = std::make_unique<ThreadPool>(usable_cores());
  ThreadPool* expected = nullptr;
  if (default_pool.compare_exchange_strong(expected, fresh.get())) return *fresh.release();
  return *expected;
}

}  // namespace perdure
