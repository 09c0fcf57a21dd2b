#include "perdure/base/background.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <latch>
#include <thread>

#include "perdure/base/error.h"
#include "tests/support/threads.h"

namespace perdure {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

using test::thread_count;

TEST(BackgroundTask, GoesOnAfterTheCallAndIsWaitedFor) {
  std::latch go(1);
  std::atomic<bool> done = false;
  const auto task = BackgroundTask::start([&] {
    go.wait();
    done = true;
  });
  EXPECT_FALSE(task->wait_for(milliseconds(0)));
  go.count_down();
  task->wait();
  EXPECT_TRUE(done);
  EXPECT_TRUE(task->wait_for(milliseconds(0)));
}

TEST(BackgroundTask, LeavesNoThreadOnceItWasWaitedFor) {
  BackgroundTask::start([] {})->wait();  // the first thread of a program may bring one of the sanitizer along
  const std::size_t before = thread_count();
  for (int i = 0; i < 20; ++i) BackgroundTask::start([] {})->wait();
  EXPECT_EQ(thread_count(), before);
}

TEST(BackgroundTask, LetsGoOfItsWorkBeforeItIsDone) {
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = held;
  const auto task = BackgroundTask::start([held = std::move(held)] {});
  task->wait();
  EXPECT_TRUE(watched.expired());
}

TEST(BackgroundTask, DoesNotWaitForItself) {
  std::shared_ptr<BackgroundTask> task;
  std::latch known(1);
  bool waited = false;
  task = BackgroundTask::start([&] {
    known.wait();
    waited = task->wait_for(hours(1));
    task->wait();
  });
  known.count_down();
  task->wait();
  EXPECT_TRUE(waited);
}

TEST(BackgroundTask, IsFinishedThoughNobodyHoldsIt) {
  std::atomic<int> count = 0;
  for (int i = 0; i < 8; ++i) BackgroundTask::start([&] { ++count; });
  wait_for_background_tasks();
  EXPECT_EQ(count, 8);
}

TEST(BackgroundTask, CanBeWaitedForByManyThreads) {
  std::latch go(1);
  const auto task = BackgroundTask::start([&] { go.wait(); });
  std::vector<std::jthread> waiters;
  for (int i = 0; i < 4; ++i) waiters.emplace_back([&] { task->wait(); });
  go.count_down();
}

TEST(BackgroundTask, IsNotWaitedForInAForkedChild) {
  std::latch go(1);
  const auto task = BackgroundTask::start([&] { go.wait(); });
  const pid_t child = ::fork();
  if (child == 0) {
    wait_for_background_tasks();
    try {
      task->wait();
    } catch (const Error& error) {
      std::_Exit(error.kind() == ErrorKind::kCheckpoint ? 7 : 1);
    }
    std::_Exit(2);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  go.count_down();
  task->wait();
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

}  // namespace
}  // namespace perdure
