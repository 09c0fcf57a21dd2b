#pragma once
// Collects what verify finds, from many threads.
#include <cstdint>
#include <mutex>
#include <string>

#include "perdure/base/error.h"
#include "perdure/base/executor.h"
#include "perdure/checkpoint/verify.h"

namespace perdure::checkpoint {

/// Any thread may call any member.
class FaultLog {
 public:
  void add(Fault fault);
  void add_checked(std::uint64_t bytes);
  /// In the order of file and offset, so that two runs give the same report.
  VerifyReport take();

  /// Runs `body`; an Error becomes a fault with the place given.
  template <class Body>
  void guard(const Fault& place, Body&& body) {
    try {
      body();
    } catch (const Error& error) {
      add_error(place, error);
    }
  }

 private:
  void add_error(Fault place, const Error& error);

  std::mutex mutex_;
  VerifyReport report_;  // guarded by mutex_
};

/// What the parts of a verification have in common.
struct VerifyContext {
  const std::string& root;  // of the checkpoint: files are named relative to it
  Executor& executor;
  FaultLog& log;
};

}  // namespace perdure::checkpoint
