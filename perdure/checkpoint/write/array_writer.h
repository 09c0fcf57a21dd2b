#pragma once
// The arrays of an item on disk: one OCDBT database in one data file, or one directory for each array.
//
// Both forms fill in what the item document must know, the CRCs of chunks whose codecs have none. `transfers`, unless null, are told
// around each array of plan.array_order.
#include "perdure/checkpoint/plan/save_plan.h"
#include "perdure/checkpoint/write/directory_writer.h"
#include "perdure/checkpoint/write/transfer.h"
#include "perdure/checkpoint/write/written_leaves.h"

namespace perdure::checkpoint {

/// manifest.ocdbt and d/<32 hex digits>: large values on pages, small ones packed, then the B+tree. `others` have data files in the
/// directory already.
void write_arrays_to_ocdbt(SavePlan& plan, WrittenLeaves others, DirectoryWriter& directory, Transfers* transfers);

/// <name>/zarr.json, <name>/c/0/1, ... or <name>/.zarray, <name>/0.1, ...
void write_arrays_to_directories(SavePlan& plan, DirectoryWriter& directory, Transfers* transfers);

}  // namespace perdure::checkpoint
