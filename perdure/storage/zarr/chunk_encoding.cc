#include "perdure/storage/zarr/chunk_encoding.h"

#include <algorithm>
#include <array>

#include "perdure/base/cast.h"
#include "perdure/base/error.h"
#include "perdure/storage/codec/output_buffer.h"
#include "perdure/storage/zarr/chunk_grid.h"
#include "perdure/storage/zarr/element_bytes.h"

namespace perdure::storage::zarr {
namespace {

constexpr std::uint64_t kScratchBytes = 1 << 20;

Box relative_to(const Box& box, const Shape& origin) {
  Box moved = box;
  for (std::size_t axis = 0; axis < origin.rank(); ++axis) moved.offset[axis] -= origin[axis];
  return moved;
}

bool contains(const Box& outer, const Box& inner) { return intersect(outer, inner) == inner; }

bool equal_but_axis_0(const Shape& a, const Shape& b) {
  for (std::size_t axis = 1; axis < a.rank(); ++axis) {
    if (a[axis] != b[axis]) return false;
  }
  return true;
}

void append_zeros(std::uint64_t size, ChunkSink& sink) {
  static constexpr std::array<std::byte, 4096> kZeros{};
  for (; size > 0; size -= std::min<std::uint64_t>(size, kZeros.size())) {
    sink.append(ByteView(kZeros).first(std::min<std::uint64_t>(size, kZeros.size())));
  }
}

/// Calls on_run(box) for boxes that are consecutive in the C order of `box` and together all of it, each of at most
/// `element_count_max` elements (> 0).
template <class OnRun>
void for_each_run(const Box& box, std::uint64_t element_count_max, OnRun on_run) {
  std::size_t axes = 0;  // the outer axes that are walked; the inner ones are whole in each run
  std::uint64_t inner = box.extent.element_count();
  while (inner > element_count_max) inner /= box.extent[axes++];
  if (axes == 0) return on_run(box);
  const std::size_t split = axes - 1;
  const std::uint64_t step = std::max<std::uint64_t>(element_count_max / inner, 1);
  Box run = box;
  for (std::size_t axis = 0; axis < split; ++axis) run.extent[axis] = 1;
  while (true) {
    for (std::uint64_t at = 0; at < box.extent[split]; at += step) {
      run.offset[split] = box.offset[split] + at;
      run.extent[split] = std::min(step, box.extent[split] - at);
      on_run(run);
    }
    std::size_t axis = split;  // the next index of the outer axes, as an odometer counts
    while (axis > 0 && ++run.offset[axis - 1] == box.offset[axis - 1] + box.extent[axis - 1]) {
      run.offset[axis - 1] = box.offset[axis - 1];
      --axis;
    }
    if (axis == 0) return;
  }
}

/// Any chunk of any pieces: each run is put together in scratch memory.
void append_by_runs(std::span<const ArrayPiece> pieces, const ArrayMetadata& metadata, const Box& chunk, ChunkSink& sink) {
  const std::uint64_t size = itemsize(metadata.dtype);
  std::vector<std::byte> scratch(std::min(kScratchBytes, metadata.chunk_bytes()));
  for_each_run(chunk, scratch.size() / size, [&](const Box& run) {
    const ByteSpan bytes = ByteSpan(scratch).first(run.extent.element_count() * size);
    std::ranges::fill(bytes, std::byte{0});
    const ArraySpan target = ArraySpan::contiguous(bytes.data(), metadata.dtype, run.extent);
    for (const ArrayPiece& piece : pieces) {
      const Box common = intersect(run, piece.box);
      if (common.empty()) continue;
      const ArrayView source = piece.view.sub(relative_to(common, piece.box.offset));
      const ArraySpan part = target.sub(relative_to(common, run.offset));
      if (source.dtype == metadata.dtype) {
        copy_array(source, part);
      } else {
        cast_array(source, part);
      }
    }
    to_stored_bytes(bytes, metadata.dtype);
    sink.append(bytes);
  });
}

/// True if the elements can be written as they lie in memory.
bool is_stored_form(const ArrayView& view, DType stored) {
  if (view.dtype != stored) return false;
  return info(stored).bits >= 8 || (view.is_contiguous() && are_stored_bytes(view.bytes(), stored));
}

/// Fills a buffer of the size of a chunk.
class MemorySink : public ChunkSink {
 public:
  explicit MemorySink(std::uint64_t size) : buffer_(size), rest_(buffer_.span()) {}
  void append(ByteView bytes) override { std::ranges::copy(bytes, next(bytes.size()).begin()); }
  void append(const ArrayView& array) override { gather_bytes(array, 0, next(array.size_bytes())); }
  Blob take() { return buffer_.take(buffer_.size_max()); }

 private:
  ByteSpan next(std::size_t size) {
    const ByteSpan target = rest_.first(size);
    rest_ = rest_.subspan(size);
    return target;
  }
  OutputBuffer buffer_;
  ByteSpan rest_;
};

void check_is_written(const ChunkCodecs& codecs) {
  if (!codecs.sharding && !codecs.big_endian && std::ranges::is_sorted(codecs.transpose)) return;
  throw Error(ErrorKind::kInvalid, "chunks in shards, big-endian or transposed are read, not written");
}

}  // namespace

void append_chunk(std::span<const ArrayPiece> pieces, const ArrayMetadata& metadata, std::uint64_t number, ChunkSink& sink) {
  check_is_written(metadata.codecs);
  if (pieces.size() == 1 && metadata.chunk_shape == metadata.shape && is_stored_form(pieces[0].view, metadata.dtype)) {
    return sink.append(pieces[0].view);  // most arrays, without any arithmetic
  }
  const Box whole = padded_chunk_box(metadata.chunk_shape, index_of_chunk(metadata.grid(), number));
  const Box inside = intersect(whole, Box::whole(metadata.shape));
  const auto piece = std::ranges::find_if(pieces, [&](const ArrayPiece& candidate) { return contains(candidate.box, inside); });
  if (piece == pieces.end() || !equal_but_axis_0(inside.extent, metadata.chunk_shape))
    return append_by_runs(pieces, metadata, whole, sink);
  const ArrayView part = piece->view.sub(relative_to(inside, piece->box.offset));
  if (!is_stored_form(part, metadata.dtype)) return append_by_runs(pieces, metadata, whole, sink);
  sink.append(part);
  append_zeros(metadata.chunk_bytes() - inside.extent.element_count() * itemsize(metadata.dtype), sink);
}

Blob encode_chunk(std::span<const ArrayPiece> pieces, const ArrayMetadata& metadata, std::uint64_t number) {
  MemorySink sink(metadata.chunk_bytes());
  append_chunk(pieces, metadata, number, sink);
  Blob chunk = sink.take();
  for (const auto& codec : metadata.codecs.bytes_codecs) chunk = codec->encode(chunk);
  return chunk;
}

}  // namespace perdure::storage::zarr
