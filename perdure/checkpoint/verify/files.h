#pragma once
// Every file against the lists in _PERDURE: size, CRC-32C, files that are missing, files that nobody wrote.
#include <string>
#include <vector>

#include "perdure/base/executor.h"
#include "perdure/checkpoint/files/listed_directory.h"
#include "perdure/checkpoint/verify/fault_log.h"

namespace perdure::checkpoint {

/// `directories`: the checkpoint first, then its items; those without a list are somebody else's and say nothing.
/// Reads every listed file once, in parallel, through small buffers.
void verify_files(const std::vector<ListedDirectory>& directories, Executor& executor, FaultLog& log);

/// `file` relative to the directory `root`, which holds it; "" for `root` itself.
std::string relative_to(const std::string& root, const std::string& file);

}  // namespace perdure::checkpoint
