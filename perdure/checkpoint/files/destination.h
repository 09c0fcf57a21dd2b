#pragma once
// Where a save may go: what its path must be, and what may stand there.
#include <optional>
#include <string>
#include <vector>

#include "perdure/base/file_system.h"

namespace perdure::checkpoint {

/// Whether something is there, be it a link to nothing.
bool exists(FileSystem& fs, const std::string& path);

/// `path` without trailing slashes. Throws kInvalid for one that does not end in a name of its own.
std::string destination_path(const std::string& path);

/// The checkpoint inside of which `path` is or would be. A checkpoint is all that lies in its directory: one inside another would be taken
/// for an item of it, and go with it.
std::optional<std::string> find_enclosing_checkpoint(FileSystem& fs, const std::string& path);

/// Throws kAlreadyExists, with `overwrite` as check_replaceable.
void check_destination(FileSystem& fs, const std::string& path, bool overwrite);

/// Throws kAlreadyExists for what is there and is no checkpoint, or a link.
void check_replaceable(FileSystem& fs, const std::string& path);

/// Ancestors of a new directory that are not there yet, innermost first.
std::vector<std::string> missing_ancestors(FileSystem& fs, const std::string& path);

}  // namespace perdure::checkpoint
