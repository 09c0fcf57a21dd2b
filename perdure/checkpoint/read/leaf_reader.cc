#include "perdure/checkpoint/read/leaf_reader.h"

#include "perdure/base/cast.h"
#include "perdure/base/leaf_note.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/files/listed_directory.h"
#include "perdure/checkpoint/read/item_contents.h"
#include "perdure/checkpoint/read/item_reader.h"
#include "perdure/checkpoint/read/result_memory.h"

namespace perdure::checkpoint {
namespace {

constexpr std::uint64_t kNoBound = ~std::uint64_t{0};

std::uint64_t size_of(const storage::zarr::Array& array, const LeafToRead& leaf) {
  const storage::zarr::ArrayMetadata& metadata = array.metadata();
  return checked_multiply(metadata.shape.element_count(), itemsize(leaf.dtype.value_or(metadata.dtype)));
}

LoadedArray fresh_array(DType dtype, const Shape& shape) {
  const std::uint64_t size = checked_multiply(shape.element_count(), itemsize(dtype));
  ResultMemory memory = std::move(allocate_results({&size, 1}, kNoBound)[0]);
  return {.view = ArrayView::contiguous(memory.data, dtype, shape), .owner = std::move(memory.owner)};
}

ArraySpan span_of(const LoadedArray& array) {
  return ArraySpan::contiguous(const_cast<std::byte*>(array.view.data), array.view.dtype, array.view.shape);
}

}  // namespace

LeafReader::LeafReader(const std::string& directory, std::optional<bool> is_ocdbt, const OpenOptions& options)
    : directory_(directory), options_(options) {
  const storage::KvStoreOptions store{.file_system = &file_system_of(options_.environment), .follow_links = options.follow_links};
  store_ = is_ocdbt ? storage::open_kvstore(directory, *is_ocdbt ? storage::kOcdbtStore : storage::kFileStore, store)
                    : storage::open_any_kvstore(directory, store);
}

storage::zarr::Array LeafReader::open(const std::string& name) const {
  return with_leaf_note(name, [&] { return storage::zarr::Array::open(*store_, name); });
}

storage::zarr::ArrayMetadata LeafReader::describe(const std::string& name) const { return open(name).metadata(); }

std::vector<LoadedArray> LeafReader::read(const std::vector<LeafToRead>& leaves, const LeafReadOptions& options) const {
  std::vector<storage::zarr::Array> arrays;
  for (const LeafToRead& leaf : leaves) arrays.push_back(open(leaf.name));
  if (!options.limiter && !options.missing_is_fill) return read_together(arrays, leaves, options.read);
  std::vector<LoadedArray> loaded;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    ByteLimiter::Permit permit;
    if (options.limiter) permit = options.limiter->acquire(size_of(arrays[i], leaves[i]));
    const bool may_fill = options.missing_is_fill && chunk_crc32c(arrays[i]) == nullptr;  // a chunk with a CRC was there
    loaded.push_back(may_fill ? read_with_fill(arrays[i], leaves[i])
                              : std::move(read_together({arrays[i]}, {leaves[i]}, options.read)[0]));
  }
  return loaded;
}

std::vector<LoadedArray> LeafReader::read_together(const std::vector<storage::zarr::Array>& arrays,
                                                   const std::vector<LeafToRead>& leaves, const ReadOptions& options) const {
  std::vector<ArrayToRead> to_read;
  const ArrayRequest whole;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    to_read.push_back(ArrayToRead::whole(arrays[i]));
    to_read.back().dtype = leaves[i].dtype.value_or(arrays[i].metadata().dtype);
    if (options.verify) to_read.back().chunk_crc32c = chunk_crc32c(arrays[i]);
  }
  const ReadContext context{.store = store_.get(),
                            .executor = &executor_of(options_.environment),
                            .progress = options_.environment.progress,
                            .verify = options.verify};
  const std::vector<const ArrayRequest*> requests(arrays.size(), &whole);
  return read_arrays(std::move(to_read), requests, options, context, file_system_of(options_.environment));
}

const std::vector<std::uint32_t>* LeafReader::chunk_crc32c(const storage::zarr::Array& array) const {
  if (array.metadata().codecs.has_crc32c()) return nullptr;
  std::call_once(document_is_read_, [&] {
    const ListedDirectory directory(file_system_of(options_.environment), directory_, options_.follow_links);
    if (!directory.has_list() || !directory.contains(kItemDocumentFile)) return;
    for (DocumentLeaf& leaf : read_item_contents(directory).document.leaves) {
      auto* const stored = std::get_if<StoredArrayRef>(&leaf);
      if (stored != nullptr && !stored->chunk_crc32c.empty())
        crc32c_by_array_.emplace(std::move(stored->name), std::move(stored->chunk_crc32c));
    }
  });
  const auto found = crc32c_by_array_.find(array.name());
  return found == crc32c_by_array_.end() ? nullptr : &found->second;
}

LoadedArray LeafReader::read_with_fill(const storage::zarr::Array& array, const LeafToRead& leaf) const {
  const storage::zarr::ArrayMetadata& metadata = array.metadata();
  LoadedArray stored = fresh_array(metadata.dtype, metadata.shape);
  with_leaf_note(leaf.name,
                 [&] { array.read(Box::whole(metadata.shape), span_of(stored), {.verify = true, .missing_is_fill = true}); });
  if (!leaf.dtype || *leaf.dtype == metadata.dtype) return stored;
  LoadedArray cast = fresh_array(*leaf.dtype, metadata.shape);
  const CastReport report = cast_array(stored.view, span_of(cast));
  cast.cast_changed_values = report.any();
  return cast;
}

}  // namespace perdure::checkpoint
