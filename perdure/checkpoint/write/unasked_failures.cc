#include "perdure/checkpoint/write/unasked_failures.h"

#include <pthread.h>
#include <stdlib.h>  // on_exit
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <map>
#include <mutex>

#include "perdure/base/background.h"
#include "perdure/base/file_system.h"

namespace perdure::checkpoint {
namespace {

/// " (step 100)" for ".../step_100"; empty for a name without a number at its end.
std::string step_of(const std::string& path) {
  const std::string name = file_name(path);
  const auto begin = std::find_if(name.rbegin(), name.rend(), [](unsigned char c) { return std::isdigit(c) == 0; }).base();
  return begin == name.end() ? "" : " (step " + std::string(begin, name.end()) + ")";
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

struct Failures {
  std::mutex mutex;
  std::map<std::uint64_t, std::string> lines;  // guarded by mutex
  std::uint64_t next_number = 1;               // guarded by mutex
  bool any_reported = false;                   // guarded by mutex
};

/// Never destroyed: it is needed at exit. A child of a fork starts with none: its parent reports its own.
std::atomic<Failures*>& current() {
  static std::atomic<Failures*> failures{new Failures};
  return failures;
}

void write_line(const std::string& line) {
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t written = ::write(STDERR_FILENO, line.data() + at, line.size() - at);
    if (written <= 0) return;
    at += static_cast<std::size_t>(written);
  }
}

void at_exit(int status, void*) {
  wait_for_background_tasks();
  if (!report_unasked_failures() || status != 0) return;
  std::fflush(nullptr);
  std::_Exit(1);
}

}  // namespace

void watch_for_unasked_failures() {
  static const bool hooked [[maybe_unused]] =
      ::pthread_atfork(nullptr, nullptr, [] { current().store(new Failures); }) == 0 && ::on_exit(at_exit, nullptr) == 0;
}

std::uint64_t add_unasked_failure(const std::string& path, const std::string& what) {
  Failures& failures = *current();
  const std::lock_guard lock(failures.mutex);
  failures.lines[failures.next_number] =
      "perdure: the save to '" + path + "'" + step_of(path) + " failed: " + one_line(what) + "\n";
  return failures.next_number++;
}

void forget_unasked_failure(std::uint64_t number) {
  Failures& failures = *current();
  const std::lock_guard lock(failures.mutex);
  failures.lines.erase(number);
}

bool report_unasked_failures() {
  Failures& failures = *current();
  std::map<std::uint64_t, std::string> lines;
  bool any_reported = false;
  {
    const std::lock_guard lock(failures.mutex);
    lines.swap(failures.lines);
    any_reported = failures.any_reported |= !lines.empty();
  }
  for (const auto& [number, line] : lines) write_line(line);
  return any_reported;
}

}  // namespace perdure::checkpoint
