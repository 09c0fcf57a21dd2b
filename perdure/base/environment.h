#pragma once
// What the engine runs on. Tests give their own files, time, randomness and threads.
#include "perdure/base/clock.h"
#include "perdure/base/executor.h"
#include "perdure/base/file_system.h"
#include "perdure/base/progress.h"

namespace perdure {

/// Borrowed. nullptr is the real thing; of sinks: nobody listens.
struct Environment {
  FileSystem* file_system = nullptr;
  Clock* clock = nullptr;
  Random* random = nullptr;
  Executor* executor = nullptr;
  ProgressSink* progress = nullptr;
  LogSink* log = nullptr;
};

inline FileSystem& file_system_of(const Environment& environment) {
  return environment.file_system ? *environment.file_system : posix_file_system();
}
inline Clock& clock_of(const Environment& environment) { return environment.clock ? *environment.clock : system_clock(); }
inline Random& random_of(const Environment& environment) { return environment.random ? *environment.random : system_random(); }
inline Executor& executor_of(const Environment& environment) {
  return environment.executor ? *environment.executor : default_executor();
}

}  // namespace perdure
