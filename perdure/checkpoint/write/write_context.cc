#include "perdure/checkpoint/write/write_context.h"

#include <utility>

namespace perdure::checkpoint {

WriteContext make_context(const Environment& environment, bool direct_io, std::stop_token stop) {
  return {.file_system = file_system_of(environment),
          .clock = clock_of(environment),
          .random = random_of(environment),
          .executor = executor_of(environment),
          .progress = environment.progress,
          .direct_io = direct_io,
          .stop = std::move(stop)};
}

void report_progress(std::uint64_t bytes, WriteContext& context) {
  context.done_bytes += bytes;
  if (context.progress && context.total_bytes > 0) context.progress->on_bytes(context.done_bytes, context.total_bytes);
}

}  // namespace perdure::checkpoint
