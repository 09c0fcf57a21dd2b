#pragma once
// Carries out a read plan: chunks from files into their arrays, in parallel, checksummed and cast on the way.
//
// Large plain chunks are read piece by piece straight into the result, and checked while a piece is in cache. Neighbouring small
// chunks of one file are read with one call into a recycled buffer. Everything else goes through the Zarr reader.
#include <span>

#include "perdure/base/executor.h"
#include "perdure/base/progress.h"
#include "perdure/checkpoint/read/read_plan.h"

namespace perdure::checkpoint {

/// Where the elements of a planned array go.
struct ReadTarget {
  ArraySpan span;                    // shape of the box, dtype of the result
  bool in_place = false;             // mapped: the elements are there already, only checksums are to be checked
  bool cast_changed_values = false;  // set while reading: std::atomic_ref
};

struct ReadContext {
  const storage::KvStore* store = nullptr;
  Executor* executor = nullptr;
  ProgressSink* progress = nullptr;  // may be null
  bool verify = true;
};

/// Blocks until all is there. `targets` as many as plan.arrays. Errors carry notes: chunk with file and offset, leaf.
void read_chunks(const ReadPlan& plan, std::span<ReadTarget> targets, const ReadContext& context);

}  // namespace perdure::checkpoint
