#pragma once
// _PERDURE: name, size and CRC-32C of the other files of a directory; its last line is its own CRC.
//
//   perdure files 1
//   9a71bb4c 1024 d/6d2d3a7e2f3f4c2b9d54bf5a2f4f9a10
//   e3069283 9 _METADATA
//   crc32c 0f3a11d2
//
// An item lists all its files. A checkpoint lists its own files and the list of each item ("state/_PERDURE"), so that
// nothing can be lost or exchanged without notice. Backslash and newline in a name are written \\ and \n.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::checkpoint {

struct ListedFile {
  std::string name;  // relative to the directory, '/' between components
  std::uint64_t size_bytes = 0;
  std::uint32_t crc32c = 0;
  bool operator==(const ListedFile&) const = default;
};

/// Sorted by name. Text, one file a line, so that people can read it.
std::string encode_file_list(std::vector<ListedFile> files);
/// Throws kCorrupt (own CRC, order, names that leave the directory).
std::vector<ListedFile> parse_file_list(std::string_view text);

}  // namespace perdure::checkpoint
