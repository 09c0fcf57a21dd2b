#include "perdure/checkpoint/leaves/leaf_batch.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "perdure/base/error.h"
#include "perdure/base/leaf_note.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/plan/plan_array.h"
#include "perdure/checkpoint/write/one_array.h"
#include "perdure/checkpoint/write/value_writer.h"

namespace perdure::checkpoint {
namespace {

PlannedArray plan_leaf(const LeafToWrite& leaf, bool use_ocdbt) {
  ArraySaveOptions options = leaf.options;
  options.use_ocdbt = use_ocdbt;
  const std::uint64_t element_bytes = itemsize(options.dtype.value_or(leaf.leaf.dtype));
  if (options.chunk_bytes_divided && *options.chunk_bytes_divided < element_bytes) {
    throw Error(ErrorKind::kInvalid, "chunks of " + std::to_string(*options.chunk_bytes_divided) +
                                         " bytes cannot hold an element of " + std::to_string(element_bytes));
  }
  PlannedArray array = plan_array(leaf.name, leaf.leaf.pieces, leaf.leaf.shape, leaf.leaf.dtype, options);
  array.is_immutable = leaf.leaf.immutable;
  return array;
}

/// The data files of one batch, one after the other.
class DataFiles {
 public:
  DataFiles(DirectoryWriter& directory, std::uint64_t bytes_max) : directory_(directory), bytes_max_(bytes_max) {}

  std::vector<ListedFile> finish() {
    close();
    return std::move(files_);
  }

  /// The chunks of an array, and which file each is in.
  std::vector<std::pair<StoredValue, std::uint32_t>> write(const PlannedArray& array) {
    std::vector<std::pair<StoredValue, std::uint32_t>> stored;
    for (std::uint64_t chunk = 0; chunk < array.chunk_count; ++chunk) {
      if (file_ && file_->position() >= bytes_max_) close();
      if (!file_) open();
      stored.emplace_back(writer_->write(array, chunk), static_cast<std::uint32_t>(files_.size()));
    }
    return stored;
  }

 private:
  void open() {
    name_ = join_path(kDataDirectory, random_hex_name(directory_.context().random));
    file_ = directory_.create_data_file(name_);
    writer_.emplace(*file_);
  }
  void close() {
    if (!file_) return;
    files_.push_back(directory_.finish_data_file(name_, *file_));
    writer_.reset();
    file_.reset();
  }

  DirectoryWriter& directory_;
  const std::uint64_t bytes_max_;
  std::string name_;
  std::unique_ptr<storage::DataFileWriter> file_;
  std::optional<ValueWriter> writer_;
  std::vector<ListedFile> files_;
};

/// Files of an array that is written anew; what else lies in its directory stays.
void remove_array(FileSystem& fs, const std::string& path) {
  if (!fs.find_info(path, false)) return;
  for (const DirectoryEntry& entry : fs.list(path)) {
    if (entry.type == FileType::kFile) fs.remove_file(join_path(path, entry.name));
    if (entry.name == "c") remove_tree(fs, join_path(path, entry.name));  // chunks of Zarr v3
  }
}

}  // namespace

LeafBatch::LeafBatch(std::vector<LeafToWrite> leaves, LeafBatchOptions options)
    : leaves_(std::move(leaves)), options_(std::move(options)) {
  std::vector<std::uint32_t> order(leaves_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t leaf) { return options_.transfer.priority(leaf); });
  std::vector<TransferredArray> transferred;
  for (const std::uint32_t index : order) {
    LeafToWrite& leaf = leaves_[index];
    with_leaf_note(leaf.name, [&] {
      arrays_.push_back(plan_leaf(leaf, options_.use_ocdbt));
      transferred.push_back(make_transferred(index, options_.transfer.priority(index), leaf.leaf));
    });
  }
  transfers_ = std::make_unique<Transfers>(std::move(transferred), options_.transfer);
}

void LeafBatch::stage() {
  transfers_->begin_synchronous();
  for (std::uint32_t i = 0; i < leaves_.size(); ++i) {
    if (options_.transfer.priority(i) == TransferPriority::kSynchronous) take_copy(leaves_[i].leaf);
  }
  transfers_->end_synchronous();
}

void LeafBatch::write(const std::string& directory) {
  if (options_.use_ocdbt) return write_to_ocdbt(directory);
  write_to_directories(directory);
}

void LeafBatch::write_to_ocdbt(const std::string& directory) {
  WriteContext context = make_context(options_.environment);
  DirectoryWriter writer(context, directory);
  DataFiles files(writer, options_.data_file_bytes_max);
  WrittenLeaves written;
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    const PlannedArray& array = arrays_[i];
    transfers_->begin_write(i);
    const auto stored = with_leaf_note(array.name, [&] { return files.write(array); });
    std::vector<PlacedValue> chunks;
    for (const auto& [value, file] : stored) chunks.push_back({&value, file});
    append_array_entries(array, chunks, written.arrays[array.name]);
    transfers_->end_write(i);
  }
  written.data_files = files.finish();
  add_written_leaves(directory, std::move(written));
}

void LeafBatch::write_to_directories(const std::string& directory) {
  WriteContext context = make_context(options_.environment);
  DirectoryWriter writer(context, directory);
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    transfers_->begin_write(i);
    with_leaf_note(arrays_[i].name, [&] {
      remove_array(context.file_system, join_path(directory, arrays_[i].name));
      write_array_directory(arrays_[i], writer);
    });
    transfers_->end_write(i);
  }
}

}  // namespace perdure::checkpoint
