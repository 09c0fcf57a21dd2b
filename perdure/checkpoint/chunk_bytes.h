#pragma once
// The elements of one chunk as they are stored, before codecs: C order, cast, padded with zeros to the whole chunk.
//
// A chunk that lies in one piece of memory is handed on as a view, so that it is copied once, into the write buffer. Only casts,
// and chunks made of several pieces or padded on inner axes, pass through a scratch buffer, run by run.
#include <cstdint>

#include "perdure/checkpoint/save_plan.h"

namespace perdure::checkpoint {

/// Takes the bytes of a chunk in order.
class ChunkSink {
 public:
  virtual ~ChunkSink() = default;
  virtual void append(ByteView bytes) = 0;
  virtual void append(const ArrayView& array) = 0;  // its elements in C order
};

inline constexpr std::uint64_t kScratchBytes = 1 << 20;

void append_chunk(const PlannedArray& array, std::uint64_t chunk, ChunkSink& sink);

}  // namespace perdure::checkpoint
