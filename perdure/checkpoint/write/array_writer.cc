#include "perdure/checkpoint/write/array_writer.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "perdure/base/leaf_note.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/write/encode_ahead.h"
#include "perdure/checkpoint/write/one_array.h"
#include "perdure/checkpoint/write/stored_slices.h"
#include "perdure/checkpoint/write/value_writer.h"
#include "perdure/checkpoint/write/written_leaves.h"
#include "perdure/storage/ocdbt/writer.h"

namespace perdure::checkpoint {
namespace {

namespace ocdbt = storage::ocdbt;

/// Chunks without a crc32c codec are covered by the item document.
void keep_crc(SavePlan& plan, const PlannedArray& array, std::uint32_t crc) {
  auto* leaf = std::get_if<StoredArrayRef>(&plan.leaves[array.leaf_index]);
  if (leaf && !array.metadata.codecs.has_crc32c()) leaf->chunk_crc32c.push_back(crc);
}

// ---- OCDBT

std::uint64_t likely_file_size(const SavePlan& plan) {
  std::uint64_t size = 0;
  for (const std::size_t index : plan.order) {
    const PlannedArray& array = plan.arrays[plan.values[index].array];
    if (array.metadata.codecs.is_plain()) size += array.chunk_bytes();
  }
  return size;
}

/// `values`: a part of the plan's order.
void write_values(const SavePlan& plan, std::span<const std::size_t> values, ValueWriter& writer,
                  std::vector<StoredValue>& stored, WriteContext& context) {
  EncodeAhead ahead(plan, values, context.executor);
  for (const std::size_t index : values) {
    const PlannedValue& value = plan.values[index];
    const PlannedArray& array = plan.arrays[value.array];
    const std::optional<EncodedValue> encoded = ahead.next();
    with_leaf_note(array.name,
                   [&] { stored[index] = encoded ? writer.write(array, *encoded) : writer.write(array, value.chunk); });
    note_cast(array, stored[index], context);
    report_progress(array.chunk_bytes(), context);
  }
}

/// Runs `write(array)` for all arrays in their order, between the steps of their transfers.
template <class Write>
void write_in_order(const SavePlan& plan, Transfers* transfers, Write&& write) {
  for (std::size_t position = 0; position < plan.array_order.size(); ++position) {
    const PlannedArray& array = plan.arrays[plan.array_order[position]];
    if (transfers != nullptr) with_leaf_note(array.name, [&] { transfers->begin_write(position); });
    write(array);
    if (transfers != nullptr) with_leaf_note(array.name, [&] { transfers->end_write(position); });
  }
}

std::vector<StoredValue> write_values(const SavePlan& plan, storage::DataFileWriter& file, WriteContext& context,
                                      Transfers* transfers) {
  std::vector<StoredValue> stored(plan.values.size());
  ValueWriter writer(file);
  if (transfers == nullptr) {
    write_values(plan, plan.order, writer, stored, context);
  } else {
    std::span<const std::size_t> rest(plan.order);
    write_in_order(plan, transfers, [&](const PlannedArray& array) {
      const auto end =
          std::ranges::find_if(rest, [&](std::size_t value) { return &plan.arrays[plan.values[value].array] != &array; });
      const auto count = static_cast<std::size_t>(end - rest.begin());
      write_values(plan, rest.first(count), writer, stored, context);
      rest = rest.subspan(count);
    });
  }
  context.statistics.copied_bytes += writer.copied_bytes();
  return stored;
}

std::vector<ocdbt::Entry> database_entries(SavePlan& plan, const std::vector<StoredValue>& stored) {
  std::vector<ocdbt::Entry> entries;
  entries.reserve(plan.arrays.size() + plan.values.size());
  std::vector<PlacedValue> chunks;
  for (const PlannedArray& array : plan.arrays) {
    chunks.clear();
    for (std::uint64_t chunk = 0; chunk < array.chunk_count; ++chunk) {
      const std::size_t index = array.first_value + chunk;
      chunks.push_back({&stored[plan.values[index].same_as.value_or(index)]});
      keep_crc(plan, array, chunks.back().value->crc32c);
    }
    append_array_entries(array, chunks, entries);
  }
  return entries;
}

/// What handlers wrote into this database before.
void append_others(WrittenLeaves others, DirectoryWriter& directory, std::vector<std::string>& files,
                   std::vector<ocdbt::Entry>& entries) {
  const auto first_file = static_cast<std::uint32_t>(files.size());
  for (ListedFile& file : others.data_files) {
    files.push_back(file.name);
    directory.note(std::move(file));
  }
  for (auto& [name, array] : others.arrays) {
    ocdbt::shift_files(array, first_file);
    std::ranges::move(array, std::back_inserter(entries));
  }
}

}  // namespace

void write_arrays_to_ocdbt(SavePlan& plan, WrittenLeaves others, DirectoryWriter& directory, Transfers* transfers) {
  WriteContext& context = directory.context();
  ocdbt::WriterConfig config;
  context.random.fill(std::as_writable_bytes(std::span(config.uuid)));
  config.commit_time_ns = context.clock.now_ns();
  if (plan.arrays.empty() && others.arrays.empty())
    return directory.put(kManifestFile, ocdbt::encode_database({}, {}, 0, 0, config).manifest);

  const std::string data_file = join_path(kDataDirectory, random_hex_name(context.random));
  const auto file = directory.create_data_file(data_file, likely_file_size(plan));
  std::vector<StoredValue> stored = write_values(plan, *file, context, transfers);
  find_stored_slices(plan, stored);
  std::vector<std::string> files = {data_file};
  std::vector<ocdbt::Entry> entries = database_entries(plan, stored);
  append_others(std::move(others), directory, files, entries);
  const ocdbt::DatabaseBytes database = ocdbt::encode_database(std::move(entries), files, 0, file->position(), config);
  file->append(as_bytes(database.nodes));
  directory.finish_data_file(data_file, *file);
  directory.put(kManifestFile, database.manifest);
}

void write_arrays_to_directories(SavePlan& plan, DirectoryWriter& directory, Transfers* transfers) {
  write_in_order(plan, transfers, [&](const PlannedArray& array) {
    with_leaf_note(array.name, [&] {
      for (const std::uint32_t crc : write_array_directory(array, directory)) keep_crc(plan, array, crc);
    });
  });
}

}  // namespace perdure::checkpoint
