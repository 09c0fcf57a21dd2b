#pragma once
// What the writers of one save have in common.
#include <cstdint>
#include <stop_token>

#include "perdure/base/environment.h"
#include "perdure/checkpoint/save.h"

namespace perdure::checkpoint {

struct WriteContext {
  FileSystem& file_system;
  Clock& clock;
  Random& random;
  Executor& executor;
  ProgressSink* progress = nullptr;
  bool direct_io = true;
  std::stop_token stop = {};
  std::uint64_t total_bytes = 0;  // of all items; 0: nobody knows, and nobody is told how far it is
  std::uint64_t done_bytes = 0;
  SaveStatistics statistics = {};
};

/// No totals yet.
WriteContext make_context(const Environment& environment, bool direct_io = true, std::stop_token stop = {});

/// Tells whoever watches that so many bytes of arrays are written.
void report_progress(std::uint64_t bytes, WriteContext& context);

}  // namespace perdure::checkpoint
