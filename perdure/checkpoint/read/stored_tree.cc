#include "perdure/checkpoint/read/stored_tree.h"

#include <unordered_map>

#include "perdure/base/error.h"
#include "perdure/base/leaf_note.h"
#include "perdure/base/scalar.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/read/item_reader.h"
#include "perdure/checkpoint/read/item_store.h"

namespace perdure::checkpoint {
namespace {

/// An array that a leaf names must be there.
storage::zarr::Array open_array(const storage::KvStore& store, const std::string& name) {
  return with_leaf_note(name, [&] {
    try {
      return storage::zarr::Array::open(store, name);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kNotFound) throw;
      throw Error(ErrorKind::kCorrupt, error.message());
    }
  });
}

bool wants_the_same(const ArrayRequest& a, const ArrayRequest& b) {
  return a.dtype == b.dtype && a.box == b.box && !a.target && !b.target;
}

}  // namespace

DistinctRequests DistinctRequests::all(const std::vector<ArrayRequest>& requests) {
  DistinctRequests distinct;
  distinct.requests.reserve(requests.size());
  for (const ArrayRequest& request : requests) distinct.requests.push_back(&request);
  return distinct;
}

std::vector<LoadedArray> DistinctRequests::share(std::vector<LoadedArray> loaded) const {
  if (served_by.empty()) return loaded;
  std::vector<LoadedArray> results;
  results.reserve(served_by.size());
  for (const std::size_t server : served_by) results.push_back(loaded[server]);
  return results;
}

std::unique_ptr<StoredTree> StoredTree::open(const ListedDirectory& directory, const Environment& environment) {
  std::unique_ptr<StoredTree> tree(new StoredTree(SeenDirectory(directory.file_system(), directory.path())));
  tree->file_system_ = &directory.file_system();
  tree->executor_ = &executor_of(environment);
  tree->progress_ = environment.progress;
  tree->contents_ = read_item_contents(directory);
  tree->store_ = open_item_store(directory, tree->contents_.use_ocdbt);
  tree->is_database_ = tree->contents_.use_ocdbt.value_or(true) && directory.contains(kManifestFile);
  tree->find_arrays();
  tree->read_scalars();
  return tree;
}

void StoredTree::find_arrays() {
  const std::vector<DocumentLeaf>& leaves = contents_.document.leaves;
  leaves_.reserve(leaves.size());
  arrays_.resize(leaves.size());
  for (std::uint32_t i = 0; i < leaves.size(); ++i) {
    const auto* ref = std::get_if<StoredArrayRef>(&leaves[i]);
    if (ref == nullptr) {
      leaves_.emplace_back(std::get<Scalar>(leaves[i]));
      continue;
    }
    has_ties_ |= ref->tied_to.has_value();
    if (!ref->tied_to) arrays_[i] = open_array(*store_, ref->name);
    const storage::zarr::ArrayMetadata& metadata = arrays_[source_of(i)]->metadata();
    leaves_.emplace_back(StoredArray{ref->name, metadata.dtype, metadata.shape, metadata.chunk_shape, ref->origin, ref->tied_to});
  }
}

void StoredTree::read_scalars() {
  std::vector<ArrayRequest> requests;
  for (const std::uint32_t leaf : contents_.scalar_arrays) {
    const StoredArray& array = std::get<StoredArray>(leaves_[leaf]);
    if (array.shape.rank() != 0)
      throw Error(ErrorKind::kCorrupt, "leaf '" + array.name + "' is a scalar and has the shape " + array.shape.str());
    requests.push_back({.leaf_index = leaf});
  }
  if (requests.empty()) return;
  const std::vector<LoadedArray> numbers = read(requests, {});
  for (std::size_t i = 0; i < requests.size(); ++i) leaves_[requests[i].leaf_index] = scalar_of(numbers[i].view);
}

std::uint32_t StoredTree::source_of(std::uint32_t leaf_index) const {
  const auto* ref = std::get_if<StoredArrayRef>(&contents_.document.leaves[leaf_index]);
  while (ref != nullptr && ref->tied_to) {
    leaf_index = *ref->tied_to;
    ref = std::get_if<StoredArrayRef>(&contents_.document.leaves[leaf_index]);
  }
  return leaf_index;
}

ArrayToRead StoredTree::planned(std::uint32_t leaf_index) const {
  const std::uint32_t source = source_of(leaf_index);
  ArrayToRead array = ArrayToRead::whole(*arrays_[source]);
  array.chunk_crc32c = &std::get<StoredArrayRef>(contents_.document.leaves[source]).chunk_crc32c;
  return array;
}

ArrayToRead StoredTree::planned(const ArrayRequest& request) const {
  if (request.leaf_index >= leaves_.size() || std::holds_alternative<Scalar>(leaves_[request.leaf_index])) {
    throw Error(ErrorKind::kInvalid, "leaf " + std::to_string(request.leaf_index) + " is no array");
  }
  ArrayToRead array = planned(request.leaf_index);
  if (request.dtype) array.dtype = *request.dtype;
  if (request.box) {
    if (!request.box->fits(array.metadata().shape)) {
      throw Error(ErrorKind::kInvalid, "box " + request.box->str() + " is not inside shape " + array.metadata().shape.str() +
                                           " of leaf '" + array.name() + "'");
    }
    array.box = *request.box;
  }
  if (request.target && (request.target->shape != array.box.extent || request.target->dtype != array.dtype)) {
    throw Error(ErrorKind::kMismatch, "target of leaf '" + array.name() + "' is " + std::string(name(request.target->dtype)) +
                                          " " + request.target->shape.str() + ", expected " + std::string(name(array.dtype)) +
                                          " " + array.box.extent.str());
  }
  return array;
}

std::vector<LoadedArray> StoredTree::read(const std::vector<ArrayRequest>& requests, const ReadOptions& options) const {
  const DistinctRequests distinct = has_ties_ ? find_distinct(requests) : DistinctRequests::all(requests);
  std::vector<ArrayToRead> arrays;
  arrays.reserve(distinct.requests.size());
  for (const ArrayRequest* request : distinct.requests) arrays.push_back(planned(*request));
  const ReadContext context{.store = store_.get(), .executor = executor_, .progress = progress_, .verify = options.verify};
  const auto read = [&] {
    return distinct.share(read_arrays(std::move(arrays), distinct.requests, options, context, *file_system_));
  };
  return is_database_ ? seen_.explaining(read) : seen_.reading(read);
}

DistinctRequests StoredTree::find_distinct(const std::vector<ArrayRequest>& requests) const {
  DistinctRequests distinct;
  std::unordered_multimap<std::uint32_t, std::size_t> by_source;
  for (const ArrayRequest& request : requests) {
    std::size_t server = distinct.requests.size();
    const std::uint32_t source = source_of(request.leaf_index);
    const auto [begin, end] = by_source.equal_range(source);
    for (auto earlier = begin; earlier != end; ++earlier) {
      if (wants_the_same(*distinct.requests[earlier->second], request)) server = earlier->second;
    }
    if (server == distinct.requests.size()) {
      by_source.emplace(source, server);
      distinct.requests.push_back(&request);
    }
    distinct.served_by.push_back(server);
  }
  return distinct;
}

}  // namespace perdure::checkpoint
