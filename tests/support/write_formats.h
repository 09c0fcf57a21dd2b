#pragma once
// Every way to write an array, from the codec table.
#include <optional>
#include <string>
#include <vector>

#include "perdure/storage/codec.h"
#include "perdure/storage/zarr/metadata.h"

namespace perdure::storage {

/// Not at all, and with each codec that a save may choose in this Zarr format.
inline std::vector<std::optional<CodecChoice>> codec_choices(int zarr_format) {
  std::vector<std::optional<CodecChoice>> choices = {std::nullopt};
  for (const CodecRow& row : codec_table()) {
    if (row.configuration != nullptr && !row.name_in(zarr_format).empty())
      choices.push_back(CodecChoice{.name = std::string(row.name), .level = 2});
  }
  return choices;
}

inline std::vector<zarr::WriteFormat> write_formats() {
  std::vector<zarr::WriteFormat> formats = {{.crc32c = false}};
  for (const int zarr_format : {2, 3}) {
    for (const auto& compression : codec_choices(zarr_format))
      formats.push_back({.zarr_format = zarr_format, .compression = compression});
  }
  return formats;
}

}  // namespace perdure::storage
