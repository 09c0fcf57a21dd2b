#pragma once
// Whole files that readers may look at while they are written.
#include <string>

#include "perdure/base/file_system.h"

namespace perdure::checkpoint {

/// A reader sees the old content or the new one. Durable when it returns.
void replace_file(FileSystem& fs, const std::string& path, ByteView content);

}  // namespace perdure::checkpoint
