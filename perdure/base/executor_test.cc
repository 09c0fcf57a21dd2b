#include "perdure/base/executor.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <latch>
#include <thread>

#ifdef __SANITIZE_THREAD__
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }  // threads after a fork are what we test
#endif

namespace perdure {
namespace {

/// True once a task has run in the pool.
bool runs_a_task(Executor& executor) {
  std::latch done(1);
  executor.run([&] { done.count_down(); });
  done.wait();
  return true;
}

TEST(InlineExecutor, RunsTheTaskBeforeItReturns) {
  std::thread::id where;
  inline_executor().run([&] { where = std::this_thread::get_id(); });
  EXPECT_EQ(where, std::this_thread::get_id());
  EXPECT_EQ(inline_executor().concurrency(), 1);
}

TEST(DefaultExecutor, FinishesWhatIsQueuedWhenTheProcessExits) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    for (int i = 0; i < 100; ++i) {
      default_executor().run([&] { [[maybe_unused]] const auto n = ::write(pipe_ends[1], "x", 1); });
    }
    std::exit(0);
  }
  ::close(pipe_ends[1]);
  char got[200];
  std::size_t count = 0;
  while (const ssize_t n = ::read(pipe_ends[0], got, sizeof(got))) count += static_cast<std::size_t>(n);
  ::close(pipe_ends[0]);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(count, 100);
}

TEST(DefaultExecutor, RunsAsManyTasksAtOnceAsItSays) {
  const int count = default_executor().concurrency();
  ASSERT_GE(count, 1);
  std::latch all_running(count);
  std::latch done(count);
  for (int i = 0; i < count; ++i) {
    default_executor().run([&] {
      all_running.arrive_and_wait();
      done.count_down();
    });
  }
  done.wait();
}

TEST(DefaultExecutor, RunsEveryTaskOnce) {
  std::atomic<int> sum{0};
  std::latch done(1000);
  for (int i = 0; i < 1000; ++i) {
    default_executor().run([&] {
      ++sum;
      done.count_down();
    });
  }
  done.wait();
  EXPECT_EQ(sum, 1000);
}

TEST(DefaultExecutor, WorksInAForkedChildOfAProcessThatUsedIt) {
  ASSERT_TRUE(runs_a_task(default_executor()));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(runs_a_task(default_executor()) ? 0 : 1);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(runs_a_task(default_executor()));
}

}  // namespace
}  // namespace perdure
