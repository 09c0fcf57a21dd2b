#pragma once
// One array on disk: as keys of a database, or as a directory of its own.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "perdure/checkpoint/plan/save_plan.h"
#include "perdure/checkpoint/write/directory_writer.h"
#include "perdure/checkpoint/write/value_writer.h"
#include "perdure/storage/ocdbt/writer.h"

namespace perdure::checkpoint {

/// A chunk in one of several data files.
struct PlacedValue {
  const StoredValue* value = nullptr;
  std::uint32_t file = 0;
};
/// The keys of an array: all its chunks, in C order, and its metadata.
void append_array_entries(const PlannedArray& array, std::span<const PlacedValue> chunks,
                          std::vector<storage::ocdbt::Entry>& entries);

/// A new directory with all files of the array, below `directory`. Gives the CRCs of the stored chunks.
std::vector<std::uint32_t> write_array_directory(const PlannedArray& array, DirectoryWriter& directory);

/// Remembers the array if its values are not what they were.
void note_cast(const PlannedArray& array, const StoredValue& stored, WriteContext& context);

}  // namespace perdure::checkpoint
