#include "tests/crash/saver.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "perdure/checkpoint/save.h"
#include "tests/crash/generations.h"
#include "tests/support/faulty_file_system.h"

namespace perdure::test {
namespace {

constexpr const char* kSaverWord = "--be-a-saver";

/// SIGKILL after a time of this process's own choosing needs nobody who waits for the moment.
void arm_kill(std::uint64_t after_ns) {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGKILL;
  timer_t timer{};
  itimerspec when{};
  when.it_value.tv_sec = static_cast<time_t>(after_ns / 1'000'000'000);
  when.it_value.tv_nsec = static_cast<long>(after_ns % 1'000'000'000 + 1);
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &when, nullptr) != 0) _exit(3);
}

[[noreturn]] void save_for_ever(const SaverOrders& orders) {
  FaultPlan plan;
  plan.exchange_works = orders.exchange_works;
  FaultyFileSystem fs(plan);
  const int progress = open(orders.progress_file.c_str(), O_WRONLY);
  arm_kill(orders.killed_after_ns);
  SaveOptions options;
  options.overwrite = true;
  if (!orders.exchange_works) options.environment.file_system = &fs;
  for (std::uint64_t generation = orders.first_generation;; ++generation) {
    save(orders.path, state_of(generation, kSaverSizes), options);
    if (pwrite(progress, &generation, sizeof generation, 0) != sizeof generation) _exit(4);
  }
}

}  // namespace

std::uint64_t run_saver_until_killed(const SaverOrders& orders) {
  std::uint64_t done = 0;
  const int progress = open(orders.progress_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  EXPECT_EQ(pwrite(progress, &done, sizeof done, 0), sizeof done);
  const std::string first = std::to_string(orders.first_generation), after = std::to_string(orders.killed_after_ns);
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "saver", kSaverWord, orders.path.c_str(), orders.progress_file.c_str(), first.c_str(), after.c_str(),
          orders.exchange_works ? "exchange" : "rename", nullptr);
    _exit(2);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "the saver ended by itself, status " << status;
  EXPECT_EQ(pread(progress, &done, sizeof done, 0), sizeof done);
  close(progress);
  return done;
}

void become_saver_if_asked(int argc, char** argv) {
  if (argc != 7 || std::string_view(argv[1]) != kSaverWord) return;
  save_for_ever({.path = argv[2],
                 .progress_file = argv[3],
                 .first_generation = std::stoull(argv[4]),
                 .killed_after_ns = std::stoull(argv[5]),
                 .exchange_works = std::string_view(argv[6]) == "exchange"});
}

}  // namespace perdure::test
