#pragma once
// What a long operation tells while it runs, and where the library's few warnings go.
#include <cstdint>
#include <string_view>

namespace perdure {

/// Called from worker threads; must not throw and must return quickly.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  virtual void on_bytes(std::uint64_t done_bytes, std::uint64_t total_bytes) = 0;
};

/// Told what went wrong without failing the call, a line each. The library prints nothing by itself: without a sink they are dropped.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void warn(std::string_view line) = 0;
};

}  // namespace perdure
