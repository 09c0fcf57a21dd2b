#include "perdure/checkpoint/read/restore.h"

#include <algorithm>
#include <cstring>

#include "perdure/base/buffer_pool.h"
#include "perdure/base/cast.h"
#include "perdure/base/error.h"
#include "perdure/checkpoint/read/result_memory.h"

namespace perdure::checkpoint {
namespace {

Error shape_mismatch(const std::string& key, const Shape& stored, const Shape& wanted) {
  return Error(ErrorKind::kMismatch,
               "shape of '" + key + "' is " + stored.str() + " in the checkpoint, " + wanted.str() + " in the template");
}

Error kind_mismatch(const std::string& key, std::string_view stored, std::string_view wanted) {
  return Error(ErrorKind::kMismatch,
               "'" + key + "' is " + std::string(stored) + " in the checkpoint, " + std::string(wanted) + " in the template");
}

/// The element as array without axes.
LoadedArray array_of(const Element& element, DType dtype, bool& changed) {
  const std::shared_ptr<std::byte> memory = allocate_result(itemsize(dtype));
  const ArraySpan span = ArraySpan::contiguous(memory.get(), dtype, Shape{});
  changed = cast_array(element.view(), span).any();
  return {span.view(), memory};
}

}  // namespace

void TreeRestore::want(std::uint32_t leaf_index, const LeafTemplate& wanted, std::string key) {
  Wanted& entry = wanted_.emplace_back();
  entry.key = std::move(key);
  ArrayRequest request;
  request.leaf_index = leaf_index;
  try {
    want_leaf(item_.leaves()[leaf_index], wanted, std::move(request), entry);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kMismatch) throw;
    mismatches_ += (mismatches_.empty() ? "" : "; ") + error.message();
  }
}

void TreeRestore::want_leaf(const StoredLeaf& stored, const LeafTemplate& wanted, ArrayRequest request, Wanted& entry) {
  if (const auto* array = std::get_if<StoredArray>(&stored)) {
    want_array(*array, wanted, std::move(request), entry);
  } else {
    want_scalar(std::get<Scalar>(stored), wanted, entry);
  }
}

void TreeRestore::want_array(const StoredArray& stored, const LeafTemplate& wanted, ArrayRequest request, Wanted& entry) {
  if (wanted.kind == LeafTemplate::Kind::kScalar) {
    if (!is_number(wanted.scalar_kind)) throw kind_mismatch(entry.key, "an array", name(wanted.scalar_kind));
    if (stored.shape.rank() != 0) throw shape_mismatch(entry.key, stored.shape, Shape{});
    entry.becomes_scalar = wanted.scalar_kind;
  } else {
    request.dtype = wanted.dtype;
    const bool has_shape = wanted.kind == LeafTemplate::Kind::kArray && !wanted.any_shape;
    if (has_shape && stored.shape != wanted.shape) {
      want_padded(stored, wanted, request, entry);
    } else if (wanted.target) {
      request.target = wanted.target;
      entry.result = LoadedArray{wanted.target->view(), nullptr};
    } else if (wanted.own_memory) {
      entry.own = {wanted.dtype.value_or(stored.dtype), stored.shape, Box::whole(stored.shape)};
    }
  }
  entry.request = requests_.size();
  requests_.push_back(std::move(request));
}

void TreeRestore::want_padded(const StoredArray& stored, const LeafTemplate& wanted, ArrayRequest& request, Wanted& entry) {
  if (!policy_.pad_and_truncate || stored.shape.rank() != wanted.shape.rank())
    throw shape_mismatch(entry.key, stored.shape, wanted.shape);
  request.box = intersect(Box::whole(stored.shape), Box::whole(wanted.shape));
  entry.own = {wanted.dtype.value_or(stored.dtype), wanted.shape, *request.box};
}

void TreeRestore::want_scalar(const Scalar& stored, const LeafTemplate& wanted, Wanted& entry) {
  const bool is_handled = find_handled(stored) != nullptr;  // its handler knows what to make of the template
  if (is_handled || wanted.kind == LeafTemplate::Kind::kAny || (wanted.or_none && std::holds_alternative<None>(stored))) {
    entry.result = stored;
  } else if (wanted.kind == LeafTemplate::Kind::kScalar) {
    std::optional<ConvertedScalar> converted = convert(stored, wanted.scalar_kind);
    if (!converted) throw kind_mismatch(entry.key, name(kind_of(stored)), name(wanted.scalar_kind));
    if (converted->changed) lossy_keys_.push_back(entry.key);
    entry.result = std::move(converted->value);
  } else {
    const std::optional<Element> element = element_of(stored);
    if (!element) throw kind_mismatch(entry.key, name(kind_of(stored)), "an array");
    if (wanted.shape.rank() != 0 && !wanted.any_shape) throw shape_mismatch(entry.key, Shape{}, wanted.shape);
    bool changed = false;
    entry.result = array_of(*element, wanted.dtype.value_or(element->dtype), changed);
    if (changed) lossy_keys_.push_back(entry.key);
  }
}

std::vector<RestoredLeaf> TreeRestore::run(const ReadOptions& options) {
  if (!mismatches_.empty()) throw Error(ErrorKind::kMismatch, mismatches_);
  ReadOptions read = options;
  read.bytes_max -= place_own_arrays(options.bytes_max);
  std::vector<LoadedArray> loaded = item_.read(requests_, read);
  std::vector<RestoredLeaf> results;
  results.reserve(wanted_.size());
  for (Wanted& entry : wanted_) results.push_back(take(entry, loaded));
  return results;
}

std::uint64_t TreeRestore::place_own_arrays(std::uint64_t bytes_max) {
  std::vector<Wanted*> owners;
  std::vector<std::uint64_t> sizes;
  std::uint64_t total = 0;
  for (Wanted& entry : wanted_) {
    if (!entry.own) continue;
    owners.push_back(&entry);
    sizes.push_back(checked_multiply(entry.own->shape.element_count(), itemsize(entry.own->dtype)));
    total = checked_add(total, sizes.back());
  }
  const std::vector<ResultMemory> memory = allocate_results(sizes, bytes_max);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const OwnArray& own = *owners[i]->own;
    const ArraySpan span = ArraySpan::contiguous(memory[i].data, own.dtype, own.shape);
    if (own.filled.extent != own.shape) std::memset(memory[i].data, 0, sizes[i]);
    requests_[*owners[i]->request].target = span.sub(own.filled);
    owners[i]->result = LoadedArray{span.view(), memory[i].owner};
  }
  return total;
}

RestoredLeaf TreeRestore::take(Wanted& entry, std::vector<LoadedArray>& loaded) {
  if (!entry.request) return std::move(entry.result);
  LoadedArray& array = loaded[*entry.request];
  if (array.cast_changed_values) lossy_keys_.push_back(entry.key);
  if (entry.becomes_scalar) {
    const std::optional<ConvertedScalar> converted = convert(scalar_of(array.view), *entry.becomes_scalar);
    if (!converted) throw kind_mismatch(entry.key, name(array.view.dtype), name(*entry.becomes_scalar));
    if (converted->changed) lossy_keys_.push_back(entry.key);
    return converted->value;
  }
  if (requests_[*entry.request].target) return std::move(entry.result);
  return std::move(array);
}

}  // namespace perdure::checkpoint
