#pragma once
// Where tasks run. Tests give their own to run the engine from a seed.
#include <functional>

namespace perdure {

/// Any thread may call run(). Tasks must not throw (TaskGroup sees to it).
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void run(std::function<void()> task) = 0;
  /// How many tasks can make progress at once, at least 1.
  virtual int concurrency() const = 0;
};

/// Runs each task at once, in the caller's thread.
Executor& inline_executor();

/// The process-wide pool: as many threads as the process may use cores, started when first needed, joined at exit.
/// After a fork the child gets a fresh pool.
Executor& default_executor();

}  // namespace perdure
