#pragma once
// Chunks that lie in the file as they lie in memory, at most with a crc32c behind them.
#include "perdure/checkpoint/read/plan_reader.h"

namespace perdure::checkpoint {

/// Reads the wanted run of a chunk from the store, piece by piece; all of the chunk when its checksum is to be checked.
void read_plain_chunk(const ArrayToRead& array, const ChunkToRead& chunk, const PlainRun& run, ReadTarget& target,
                      const ReadContext& context);

/// The same from the stored bytes in memory.
void take_plain_chunk(const ArrayToRead& array, const ChunkToRead& chunk, const PlainRun& run, ByteView stored,
                      ReadTarget& target, bool verify);

}  // namespace perdure::checkpoint
