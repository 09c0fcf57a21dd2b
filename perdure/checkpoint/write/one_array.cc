#include "perdure/checkpoint/write/one_array.h"

#include <utility>

#include "perdure/storage/zarr/array.h"
#include "perdure/storage/zarr/chunk_grid.h"

namespace perdure::checkpoint {
namespace {

namespace ocdbt = storage::ocdbt;
namespace zarr = storage::zarr;

std::string chunk_key(const PlannedArray& array, std::uint64_t chunk) {
  return array.metadata.chunk_key(zarr::index_of_chunk(array.metadata.grid(), chunk));
}

/// `put(name, text)` for each of the small files that say what the array is.
template <class Put>
void put_metadata(const PlannedArray& array, Put&& put) {
  const zarr::ArrayMetadata& metadata = array.metadata;
  put(zarr::metadata_file(metadata.zarr_format),
      zarr::metadata_text(metadata.dtype, metadata.shape, metadata.chunk_shape, array.format));
  std::string attributes = zarr::attributes_text(metadata.dtype, array.format);
  if (!attributes.empty()) put(zarr::kZarr2AttributesFile, std::move(attributes));
}

ocdbt::Entry value_entry(std::string key, const PlacedValue& placed) {
  const StoredValue& value = *placed.value;
  if (!value.inline_bytes.empty()) return {.key = std::move(key), .inline_value = value.inline_bytes};
  return {.key = std::move(key), .is_inline = false, .file = placed.file, .offset = value.offset, .size_bytes = value.size_bytes};
}

}  // namespace

void append_array_entries(const PlannedArray& array, std::span<const PlacedValue> chunks, std::vector<ocdbt::Entry>& entries) {
  const auto key = [&](std::string_view below) { return zarr::key_below(array.name, below); };
  for (std::uint64_t chunk = 0; chunk < chunks.size(); ++chunk)
    entries.push_back(value_entry(key(chunk_key(array, chunk)), chunks[chunk]));
  put_metadata(array, [&](std::string_view name, std::string text) {
    entries.push_back({.key = key(name), .inline_value = std::move(text)});
  });
}

std::vector<std::uint32_t> write_array_directory(const PlannedArray& array, DirectoryWriter& directory) {
  WriteContext& context = directory.context();
  put_metadata(array, [&](std::string_view name, const std::string& text) { directory.put(join_path(array.name, name), text); });
  std::vector<std::uint32_t> crcs;
  for (std::uint64_t chunk = 0; chunk < array.chunk_count; ++chunk) {
    const std::string name = join_path(array.name, chunk_key(array, chunk));
    const auto file = directory.create_data_file(name, array.chunk_bytes());
    ValueWriter writer(*file);
    const StoredValue stored = writer.write_alone(array, chunk);
    crcs.push_back(stored.crc32c);
    note_cast(array, stored, context);
    context.statistics.copied_bytes += writer.copied_bytes();
    directory.finish_data_file(name, *file);
    report_progress(array.chunk_bytes(), context);
  }
  return crcs;
}

void note_cast(const PlannedArray& array, const StoredValue& stored, WriteContext& context) {
  std::vector<std::string>& lossy = context.statistics.lossy_leaves;
  if (stored.cast_changed_values && (lossy.empty() || lossy.back() != array.name)) lossy.push_back(array.name);
}

}  // namespace perdure::checkpoint
