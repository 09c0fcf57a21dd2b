#pragma once
// The arrays of an item on disk: one OCDBT database in one data file, or one directory for each array.
//
// Both fill in what the item document must know: the CRCs of chunks whose codecs have none.
#include "perdure/checkpoint/tree_writer.h"

namespace perdure::checkpoint {

/// manifest.ocdbt and d/<32 hex digits>: large values on pages, small ones packed, then the B+tree.
void write_arrays_to_ocdbt(SavePlan& plan, DirectoryWriter& directory, WriteContext& context);

/// <name>/zarr.json, <name>/c/0/1, ... or <name>/.zarray, <name>/0.1, ...
void write_arrays_to_directories(SavePlan& plan, DirectoryWriter& directory, WriteContext& context);

}  // namespace perdure::checkpoint
