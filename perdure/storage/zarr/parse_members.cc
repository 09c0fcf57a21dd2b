#include "perdure/storage/zarr/parse_members.h"

#include <limits>

namespace perdure::storage::zarr {
namespace {

constexpr std::uint64_t kExtentMax = std::numeric_limits<std::int64_t>::max();

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::kCorrupt, message); }

}  // namespace

Shape parse_shape(const json::Value& value) {
  const json::Array& items = value.as_array();
  if (items.size() > kRankMax) fail("rank " + std::to_string(items.size()) + ", at most " + std::to_string(kRankMax));
  std::vector<std::uint64_t> dims;
  for (const json::Value& item : items) {
    dims.push_back(item.as_uint64());
    if (dims.back() > kExtentMax) fail("extent " + std::to_string(dims.back()) + ", at most " + std::to_string(kExtentMax));
  }
  return Shape(std::move(dims));
}

void check_chunk_shape(const Shape& shape, const Shape& chunk_shape, DType dtype) {
  if (chunk_shape.rank() != shape.rank()) fail("chunk shape " + chunk_shape.str() + " for an array of shape " + shape.str());
  std::uint64_t size = itemsize(dtype);
  for (const std::uint64_t extent : chunk_shape) {
    if (extent == 0) fail("chunk shape " + chunk_shape.str() + " has no elements");
    if (__builtin_mul_overflow(size, extent, &size))
      fail("a chunk of shape " + chunk_shape.str() + " has more bytes than 64 bits can count");
  }
}

void check_zarr_format(const json::Value& member, int format) {
  const std::int64_t found = member.as_int64();
  if (found != format) fail("expected " + std::to_string(format) + ", found " + std::to_string(found));
}

DType private_dtype(const json::Value& attributes, DType stored) {
  const json::Value* note = attributes.as_object().find("perdure");
  const json::Value* dtype_name = note != nullptr ? note->as_object().find("dtype") : nullptr;
  if (dtype_name == nullptr) return stored;
  const DType dtype = dtype_from_name(dtype_name->as_string());
  if (info(dtype).has_zarr_name || info(dtype).zarr3 != info(stored).zarr3) {
    fail("private dtype '" + dtype_name->as_string() + "' is not stored as " + std::string(name(stored)));
  }
  return dtype;
}

}  // namespace perdure::storage::zarr
