#pragma once
// Which names may become names of directories and files: items of a checkpoint, arrays that are stored without OCDBT, and files of leaf
// handlers.
#include <string>
#include <string_view>

namespace perdure::checkpoint {

/// Throws kInvalid naming `name` for one that is empty, reserved ("AUTO", "metrics"), the name of a file of the format, or not
/// one component of a path.
void check_item_name(const std::string& name);

/// The same for the storage name of an array that becomes a directory of its own inside an item.
void check_array_directory_name(const std::string& name);

/// The same for a file of a leaf handler, relative to the item: a path, of which nothing is called as a file of the format, be it
/// written this time or not.
void check_handler_file_name(const std::string& name);

/// Longest storage name of an array in OCDBT: with the chunk key behind it, it must stay below 64 KiB.
inline constexpr std::size_t kStorageNameBytesMax = 64'000;

}  // namespace perdure::checkpoint
