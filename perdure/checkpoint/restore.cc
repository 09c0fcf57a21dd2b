#include "perdure/checkpoint/restore.h"

#include <algorithm>
#include <cstring>

#include "perdure/base/buffer_pool.h"
#include "perdure/base/cast.h"
#include "perdure/base/error.h"

namespace perdure::checkpoint {
namespace {

Error shape_mismatch(const std::string& key, const Shape& stored, const Shape& wanted) {
  return Error(ErrorKind::kMismatch,
               "shape of '" + key + "' is " + stored.str() + " in the checkpoint, " + wanted.str() + " in the template");
}

Error kind_mismatch(const std::string& key, std::string_view stored, std::string_view wanted) {
  return Error(ErrorKind::kMismatch, "'" + key + "' is " + std::string(stored) + " in the checkpoint, " + std::string(wanted) +
                                         " in the template");
}

LoadedArray new_array(DType dtype, const Shape& shape) {
  const std::uint64_t size = checked_multiply(shape.element_count(), itemsize(dtype));
  std::shared_ptr<std::byte> memory = allocate_result(size);
  return {ArrayView::contiguous(memory.get(), dtype, shape), memory};
}

std::byte* writable(const LoadedArray& array) { return const_cast<std::byte*>(array.view.data); }

bool is_number(ScalarKind kind) { return kind != ScalarKind::kNone && kind != ScalarKind::kText && kind != ScalarKind::kBytes; }

}  // namespace

void TreeRestore::want(std::uint32_t leaf_index, const LeafTemplate& wanted, std::string key) {
  Wanted& entry = wanted_.emplace_back();
  entry.key = std::move(key);
  const StoredLeaf& stored = item_.leaves()[leaf_index];
  if (const auto* array = std::get_if<StoredArray>(&stored)) {
    ArrayRequest request;
    request.leaf_index = leaf_index;
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
  } else if (wanted.kind == LeafTemplate::Kind::kArray) {
    request.dtype = wanted.dtype;
    if (stored.shape != wanted.shape) {
      want_padded(stored, wanted, request, entry);
    } else if (wanted.own_memory) {
      LoadedArray own = new_array(wanted.dtype.value_or(stored.dtype), stored.shape);
      request.target = ArraySpan::contiguous(writable(own), own.view.dtype, stored.shape);
      entry.result = std::move(own);
    }
  }
  entry.request = requests_.size();
  requests_.push_back(std::move(request));
}

void TreeRestore::want_padded(const StoredArray& stored, const LeafTemplate& wanted, ArrayRequest& request, Wanted& entry) {
  if (!policy_.pad_and_truncate || stored.shape.rank() != wanted.shape.rank())
    throw shape_mismatch(entry.key, stored.shape, wanted.shape);
  const Box common = intersect(Box::whole(stored.shape), Box::whole(wanted.shape));
  LoadedArray padded = new_array(wanted.dtype.value_or(stored.dtype), wanted.shape);
  std::memset(writable(padded), 0, padded.view.size_bytes());
  request.box = common;
  request.target = ArraySpan::contiguous(writable(padded), padded.view.dtype, wanted.shape).sub(common);
  entry.result = std::move(padded);
}

void TreeRestore::want_scalar(const Scalar& stored, const LeafTemplate& wanted, Wanted& entry) {
  if (wanted.kind == LeafTemplate::Kind::kAny) {
    entry.result = stored;
  } else if (wanted.kind == LeafTemplate::Kind::kScalar) {
    std::optional<ConvertedScalar> converted = convert(stored, wanted.scalar_kind);
    if (!converted) throw kind_mismatch(entry.key, name(kind_of(stored)), name(wanted.scalar_kind));
    if (converted->changed) lossy_keys_.push_back(entry.key);
    entry.result = std::move(converted->value);
  } else {
    const std::optional<Element> element = element_of(stored);
    if (!element) throw kind_mismatch(entry.key, name(kind_of(stored)), "an array");
    if (wanted.shape.rank() != 0) throw shape_mismatch(entry.key, Shape{}, wanted.shape);
    LoadedArray array = new_array(wanted.dtype.value_or(element->dtype), Shape{});
    const CastReport report = cast_array(element->view(), ArraySpan::contiguous(writable(array), array.view.dtype, Shape{}));
    if (report.any()) lossy_keys_.push_back(entry.key);
    entry.result = std::move(array);
  }
}

std::vector<RestoredLeaf> TreeRestore::run(const ReadOptions& options) {
  std::vector<LoadedArray> loaded = item_.read(requests_, options);
  std::vector<RestoredLeaf> results;
  results.reserve(wanted_.size());
  for (Wanted& entry : wanted_) results.push_back(take(entry, loaded));
  return results;
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
