#include "perdure/storage/zarr/chunk_reader.h"

#include <algorithm>
#include <string>

#include "perdure/base/error.h"
#include "perdure/storage/zarr/chunk_grid.h"
#include "perdure/storage/zarr/element_reader.h"
#include "perdure/storage/zarr/shard_index.h"

namespace perdure::storage::zarr {
namespace {

constexpr std::uint64_t kSizeMax = std::uint64_t{1} << 62;             // where a bound stops to be one
constexpr std::uint64_t kEncoderSlackBytes = std::uint64_t{64} << 10;  // encoders of others may be less tight than ours

Shape permuted(const Shape& shape, const std::vector<std::size_t>& order) {
  Shape result = shape;
  for (std::size_t axis = 0; axis < order.size(); ++axis) result[axis] = shape[order[axis]];
  return result;
}

ArraySpan permuted(const ArraySpan& span, const std::vector<std::size_t>& order) {
  ArraySpan result = span;
  result.shape = permuted(span.shape, order);
  for (std::size_t axis = 0; axis < order.size(); ++axis) result.strides[axis] = span.strides[order[axis]];
  return result;
}

Shape inner_grid(const Shape& shape, const Shape& inner_shape) {
  Shape grid = shape;
  for (std::size_t axis = 0; axis < grid.rank(); ++axis) grid[axis] = shape[axis] / inner_shape[axis];
  return grid;
}

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kSizeMax : std::min(product, kSizeMax);
}

/// More than any honest encoder makes of `decoded_size` bytes.
std::uint64_t generous_size_max(const Codec& codec, std::uint64_t decoded_size) {
  return std::min(kSizeMax, 2 * codec.encoded_size_max(std::min(decoded_size, kSizeMax / 4)) + kEncoderSlackBytes);
}

/// More bytes than a chunk has before (decoded) or after (encoded) its bytes-to-bytes codecs.
std::uint64_t decoded_size_max(const ChunkCodecs& codecs, const Shape& shape, DType dtype);

std::uint64_t encoded_size_max(const ChunkCodecs& codecs, const Shape& shape, DType dtype) {
  std::uint64_t size = decoded_size_max(codecs, shape, dtype);
  for (const auto& codec : codecs.bytes_codecs) size = generous_size_max(*codec, size);
  return size;
}

std::uint64_t decoded_size_max(const ChunkCodecs& codecs, const Shape& shape, DType dtype) {
  if (!codecs.sharding) return checked_multiply(shape.element_count(), itemsize(dtype));
  const Sharding& sharding = *codecs.sharding;
  const std::uint64_t count = inner_grid(permuted(shape, codecs.transpose), sharding.chunk_shape).element_count();
  const std::uint64_t chunks = saturating_multiply(count, encoded_size_max(*sharding.inner, sharding.chunk_shape, dtype));
  return std::min(kSizeMax, chunks + std::min(kSizeMax, ShardIndex::size_bytes(sharding, count)) + kEncoderSlackBytes);
}

/// Undoes the bytes-to-bytes codecs, the last first, down to number `first`, which is left.
Blob decode_bytes(const ByteSource& source, const ChunkCodecs& codecs, std::uint64_t decoded_max, std::size_t first) {
  std::vector<std::uint64_t> size_max = {decoded_max};
  for (const auto& codec : codecs.bytes_codecs) size_max.push_back(generous_size_max(*codec, size_max.back()));
  if (source.size_bytes() > size_max.back()) {
    throw Error(ErrorKind::kCorrupt, "expected at most " + std::to_string(size_max.back()) + " stored bytes, found " +
                                         std::to_string(source.size_bytes()));
  }
  Blob bytes = source.read_all();
  for (std::size_t i = codecs.bytes_codecs.size(); i-- > first;) bytes = codecs.bytes_codecs[i]->decode(bytes, size_max[i]);
  return bytes;
}

void read_shard_box(const ByteSource& shard, const Sharding& sharding, const Shape& shape, const Box& box,
                    const ArraySpan& target, const ChunkContext& context) {
  const ShardIndex index(shard, sharding, inner_grid(shape, sharding.chunk_shape));
  for (const ChunkRead& read : plan_chunks(shape, sharding.chunk_shape, box)) {
    with_note([&] { return "inner chunk " + read.chunk_index.str(); },
              [&] {
                const std::optional<ByteSource> chunk = index.find(read.chunk_index);
                const ArraySpan part = target.sub(read.in_target);
                if (!chunk) return read_missing_chunk(part, context);
                read_chunk_box(*chunk, *sharding.inner, sharding.chunk_shape, read.in_chunk, part, context);
              });
  }
}

/// As read_chunk_box, of a chunk in C order whose bytes-to-bytes codecs are undone but for a trailing crc32c.
void read_decoded_box(const ByteSource& source, const ChunkCodecs& codecs, bool has_crc32c, const Shape& shape, const Box& box,
                      const ArraySpan& target, const ChunkContext& context) {
  if (codecs.sharding) return read_shard_box(source, *codecs.sharding, shape, box, target, context);
  read_stored_elements(source, {context.dtype, codecs.big_endian, has_crc32c}, shape, box, target, context.options.verify);
}

}  // namespace

void read_missing_chunk(const ArraySpan& target, const ChunkContext& context) {
  if (!context.options.missing_is_fill) throw Error(ErrorKind::kCorrupt, "the chunk is not stored");
  copy_array({context.fill_value.data(), context.dtype, target.shape, Strides(target.shape.rank(), 0)}, target);
}

void read_chunk_box(const ByteSource& source, const ChunkCodecs& codecs, const Shape& shape, const Box& box,
                    const ArraySpan& target, const ChunkContext& context) {
  const std::vector<std::size_t>& order = codecs.transpose;
  const Shape stored_shape = permuted(shape, order);
  const Box stored_box{permuted(box.offset, order), permuted(box.extent, order)};
  const ArraySpan stored_target = permuted(target, order);
  const bool only_crc32c = codecs.bytes_codecs.size() == 1 && codecs.has_crc32c() && !codecs.sharding;
  if (codecs.bytes_codecs.empty() || only_crc32c) {
    return read_decoded_box(source, codecs, only_crc32c, stored_shape, stored_box, stored_target, context);
  }
  const std::uint64_t size_max = decoded_size_max(codecs, shape, context.dtype);
  if (!codecs.sharding && stored_box.extent == stored_shape && stored_target.view().is_contiguous()) {
    const Blob bytes = decode_bytes(source, codecs, size_max, 1);
    codecs.bytes_codecs[0]->decode_into(bytes, stored_target.bytes());
    return finish_elements(stored_target.bytes(), {context.dtype, codecs.big_endian});
  }
  const ByteSource decoded(decode_bytes(source, codecs, size_max, 0));
  read_decoded_box(decoded, codecs, false, stored_shape, stored_box, stored_target, context);
}

}  // namespace perdure::storage::zarr
