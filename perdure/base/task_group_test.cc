#include "perdure/base/task_group.h"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "perdure/base/error.h"

namespace perdure {
namespace {

/// Keeps what it is given and runs nothing by itself.
struct LazyExecutor : Executor {
  void run(std::function<void()> task) override { tasks.push_back(std::move(task)); }
  int concurrency() const override { return 1; }
  std::vector<std::function<void()>> tasks;
};

TEST(TaskGroup, RunsEveryTaskBeforeWaitReturns) {
  TaskGroup group(default_executor());
  std::atomic<int> sum{0};
  for (int i = 1; i <= 1000; ++i) group.run([&sum, i](std::stop_token) { sum += i; });
  group.wait();
  EXPECT_EQ(sum, 1000 * 1001 / 2);
}

TEST(TaskGroup, WaitThrowsTheFirstFailureAndTheOthersAreAskedToStop) {
  TaskGroup group(default_executor());
  group.run([](std::stop_token) { throw Error(ErrorKind::kMismatch, "first"); });
  std::atomic<bool> stopped{false};
  group.run([&](std::stop_token stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
    stopped = true;
    throw Error(ErrorKind::kIo, "second");
  });
  try {
    group.wait();
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "first");
  }
  EXPECT_TRUE(stopped);
}

TEST(TaskGroup, JoinsItsTasksWhenItGoesAndDropsTheirFailure) {
  std::atomic<bool> finished{false};
  {
    TaskGroup group(default_executor());
    group.run([&](std::stop_token stop) {
      while (!stop.stop_requested()) std::this_thread::yield();
      finished = true;
      throw Error(ErrorKind::kIo, "nobody asked");
    });
  }
  EXPECT_TRUE(finished);
}

TEST(TaskGroup, TasksMayAddTasks) {
  TaskGroup group(default_executor());
  std::atomic<int> count{0};
  std::function<void(int)> grow = [&](int depth) {
    ++count;
    for (int i = 0; depth > 0 && i < 2; ++i) group.run([&grow, depth](std::stop_token) { grow(depth - 1); });
  };
  grow(8);
  group.wait();
  EXPECT_EQ(count, 511);
}

int count_leaves(int depth) {
  if (depth == 0) return 1;
  std::atomic<int> sum{0};
  TaskGroup group(default_executor());
  for (int i = 0; i < 2; ++i) group.run([&](std::stop_token) { sum += count_leaves(depth - 1); });
  group.wait();
  return sum;
}

TEST(TaskGroup, NestsDeeperThanThePoolHasThreads) { EXPECT_EQ(count_leaves(8), 256); }

TEST(TaskGroup, DoesNotMindAnExecutorThatComesLate) {
  LazyExecutor executor;
  int count = 0;
  {
    TaskGroup group(executor);
    for (int i = 0; i < 3; ++i) group.run([&](std::stop_token) { ++count; });
    group.wait();
    EXPECT_EQ(count, 3);
  }
  for (const auto& task : executor.tasks) task();
  EXPECT_EQ(count, 3);
}

TEST(TaskGroup, RunsTasksInOrderOnTheInlineExecutor) {
  std::vector<int> order;
  TaskGroup group(inline_executor());
  for (int i = 0; i < 3; ++i) group.run([&order, i](std::stop_token) { order.push_back(i); });
  EXPECT_THAT(order, testing::ElementsAre(0, 1, 2));
  group.wait();
}

}  // namespace
}  // namespace perdure
