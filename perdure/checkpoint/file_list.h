#pragma once
// _PERDURE: name, size and CRC-32C of every other file of a directory; its last line is its own CRC.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::checkpoint {

struct ListedFile {
  std::string name;              // relative to the directory, '/' between components
  std::uint64_t size_bytes = 0;
  std::uint32_t crc32c = 0;
  bool operator==(const ListedFile&) const = default;
};

/// Sorted by name. Text, one file a line, so that people can read it.
std::string encode_file_list(std::vector<ListedFile> files);
/// Throws kCorrupt (own CRC, order, names that leave the directory).
std::vector<ListedFile> parse_file_list(std::string_view text);

}  // namespace perdure::checkpoint
