#pragma once
// What a long operation tells while it runs, and where the library's few log lines go.
#include <cstdint>
#include <string_view>

namespace perdure {

/// Called from worker threads; must not throw and must return quickly.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  virtual void on_bytes(std::uint64_t done_bytes, std::uint64_t total_bytes) = 0;
};

enum class LogLevel { kInfo, kWarning };

/// The library prints nothing by itself: without a sink its log lines are dropped.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void log(LogLevel level, std::string_view line) = 0;
};

}  // namespace perdure
