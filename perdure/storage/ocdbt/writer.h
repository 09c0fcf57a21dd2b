#pragma once
// Lays out one OCDBT database of one generation (formats: docs/design/ocdbt.md). Pure: gives bytes, writes no file.
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace perdure::storage::ocdbt {

/// One key with its value: inline, or a range of a data file.
struct Entry {
  std::string key;
  bool is_inline = true;
  std::string inline_value{};  // at most 1 MiB
  std::uint32_t file = 0;      // index into DatabaseLayout::data_files
  std::uint64_t offset = 0;    // bytes
  std::uint64_t size_bytes = 0;
};

/// For entries whose data files are listed behind `count` others now.
void shift_files(std::span<Entry> entries, std::uint32_t count);

struct WriterConfig {
  std::array<std::uint8_t, 16> uuid{};
  std::uint64_t max_inline_value_bytes = 1024;
  std::uint64_t max_decoded_node_bytes = 100'000'000;
  bool compress_nodes = true;  // zstd; the manifest names the default level, for writers that go on; nodes are of a faster one
  std::uint64_t commit_time_ns = 0;
};

/// The B+tree of `entries` (sorted here; equal keys throw kInvalid naming the key) as it stands from `nodes_offset` on in data
/// file `data_files[nodes_file]`, and the manifest that refers to it.
struct DatabaseBytes {
  std::string nodes;     // to be appended to the data file at nodes_offset
  std::string manifest;  // content of manifest.ocdbt
};
DatabaseBytes encode_database(std::vector<Entry> entries, const std::vector<std::string>& data_files, std::uint32_t nodes_file,
                              std::uint64_t nodes_offset, const WriterConfig& config);

}  // namespace perdure::storage::ocdbt
