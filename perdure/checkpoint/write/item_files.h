#pragma once
// Writes one item as planned: arrays into one OCDBT data file (or a directory each), and the files beside them.
#include "perdure/checkpoint/plan/save_plan.h"
#include "perdure/checkpoint/write/directory_writer.h"
#include "perdure/checkpoint/write/transfer.h"

namespace perdure::checkpoint {

/// Fills an empty directory, with its file list. The plan is used up.
void write_item_files(SavePlan& plan, DirectoryWriter& directory, Transfers* transfers = nullptr);

}  // namespace perdure::checkpoint
