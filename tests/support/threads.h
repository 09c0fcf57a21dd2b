#pragma once
// How many threads this process has.
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

namespace perdure::test {

/// Without the kernel's own workers of io_uring ("iou-wrk-..."), which come and go by themselves.
inline std::size_t thread_count() {
  std::size_t count = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    if (std::getline(std::ifstream(thread.path() / "comm"), name) && !name.starts_with("iou-")) ++count;
  }
  return count;
}

}  // namespace perdure::test
