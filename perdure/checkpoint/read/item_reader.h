#pragma once
// One call of TreeItem::read: says where each result lies (the caller's memory, a mapping, fresh memory), then reads it all.
#include <vector>

#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/read/plan_reader.h"
#include "perdure/checkpoint/read/read_plan.h"

namespace perdure::checkpoint {

/// `arrays`, planned from `requests`. Throws kInvalid when fresh memory would pass the limit, else as read_chunks does.
std::vector<LoadedArray> read_arrays(std::vector<ArrayToRead> arrays, const std::vector<const ArrayRequest*>& requests,
                                     const ReadOptions& options, const ReadContext& context, FileSystem& fs);

}  // namespace perdure::checkpoint
