#pragma once
// One array on disk: as keys of a database, or as a directory of its own.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "perdure/checkpoint/write/tree_writer.h"
#include "perdure/checkpoint/write/value_writer.h"
#include "perdure/storage/data_file_writer.h"
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

/// A new directory with all files of the array. Gives the CRCs of the stored chunks.
std::vector<std::uint32_t> write_array_directory(const PlannedArray& array, DirectoryWriter& directory, WriteContext& context);

/// Remembers the array if its values are not what they were.
void note_cast(const PlannedArray& array, const StoredValue& stored, WriteContext& context);

// ---- files with data of arrays

std::unique_ptr<storage::DataFileWriter> create_file(const std::string& name, std::uint64_t size_likely_bytes,
                                                     const DirectoryWriter& directory, const WriteContext& context);
/// Makes it durable, lists it and counts it.
void finish_file(const std::string& name, storage::DataFileWriter& file, DirectoryWriter& directory, WriteContext& context);
/// Tells whoever watches that so many bytes of arrays are written.
void report(std::uint64_t bytes, WriteContext& context);

}  // namespace perdure::checkpoint
