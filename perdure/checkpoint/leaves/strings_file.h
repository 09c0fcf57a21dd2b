#pragma once
// Texts that a leaf handler writes in one call, and reads. (Its arrays: leaf_batch.h.)
#include <string>
#include <utility>
#include <vector>

#include "perdure/base/environment.h"

namespace perdure::checkpoint {

/// Writes texts beside those that the directory has, at once; if a save holds the directory (written_leaves.h), in its commit.
/// Any thread.
void write_strings(const std::string& directory, std::vector<std::pair<std::string, std::string>> strings,
                   const Environment& environment = {});

/// The texts of these names. Throws kNotFound for one that is not there, kCorrupt.
std::vector<std::string> read_strings(const std::string& directory, const std::vector<std::string>& names,
                                      const Environment& environment = {});

}  // namespace perdure::checkpoint
