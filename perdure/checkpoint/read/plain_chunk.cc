#include "perdure/checkpoint/read/plain_chunk.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "perdure/base/cast.h"
#include "perdure/base/checksum.h"
#include "perdure/base/error.h"

namespace perdure::checkpoint {
namespace {

// Stays in cache between the read and the checksum; a multiple of every itemsize.
constexpr std::uint64_t kPieceBytes = 256 << 10;

bool needs_cast(const ArrayToRead& array) { return array.dtype != array.metadata().dtype; }

bool is_checked(const ArrayToRead& array, const ChunkToRead& chunk, bool verify) {
  return verify && (array.metadata().codecs.has_crc32c() || chunk.crc32c);
}

/// Casts the bytes that stand `run_offset_bytes` into the wanted run.
void cast_piece(const ArrayToRead& array, const PlainRun& run, std::uint64_t run_offset_bytes, ByteView piece,
                ReadTarget& target) {
  const std::uint64_t item_bytes = itemsize(array.metadata().dtype);
  const Shape shape{piece.size() / item_bytes};
  const std::uint64_t first = (run.result_offset_bytes + run_offset_bytes) / item_bytes;
  std::byte* to = target.span.data + first * itemsize(array.dtype);
  const CastReport report = cast_array(ArrayView::contiguous(piece.data(), array.metadata().dtype, shape),
                                       ArraySpan::contiguous(to, array.dtype, shape));
  if (report.any()) std::atomic_ref(target.cast_changed_values).store(true, std::memory_order_relaxed);
}

/// The next piece of a chunk: never across an end of the wanted run.
std::uint64_t piece_end(std::uint64_t offset, std::uint64_t end, const PlainRun& run) {
  const std::uint64_t run_end = run.chunk_offset_bytes + run.size_bytes;
  const std::uint64_t border = offset < run.chunk_offset_bytes ? run.chunk_offset_bytes : offset < run_end ? run_end : end;
  return std::min({offset + kPieceBytes, border, end});
}

}  // namespace

void read_plain_chunk(const ArrayToRead& array, const ChunkToRead& chunk, const PlainRun& run, ReadTarget& target,
                      const ReadContext& context) {
  const bool checked = is_checked(array, chunk, context.verify);
  const std::uint64_t payload_bytes = array.metadata().chunk_bytes();
  const std::uint64_t run_end = run.chunk_offset_bytes + run.size_bytes;
  const std::uint64_t end = checked ? payload_bytes : run_end;
  std::vector<std::byte> scratch;
  std::uint32_t crc = 0;
  for (std::uint64_t offset = checked ? 0 : run.chunk_offset_bytes; offset < end;) {
    const std::uint64_t size = piece_end(offset, end, run) - offset;
    const bool wanted = offset >= run.chunk_offset_bytes && offset < run_end;
    const bool direct = wanted && !needs_cast(array);
    if (!direct) scratch.resize(kPieceBytes);
    const std::uint64_t run_offset = offset - run.chunk_offset_bytes;
    const ByteSpan piece =
        direct ? ByteSpan(target.span.data + run.result_offset_bytes + run_offset, size) : ByteSpan(scratch).first(size);
    context.store->read_range(chunk.location, offset, piece);
    if (checked) crc = crc32c(piece, crc);
    if (wanted && !direct) cast_piece(array, run, run_offset, piece, target);
    offset += size;
  }
  if (!checked) return;
  std::byte tail[kCrc32cBytes];
  if (!chunk.crc32c) context.store->read_range(chunk.location, payload_bytes, tail);
  check_crc32c(chunk.crc32c ? *chunk.crc32c : trailing_crc32c(tail), crc);
}

void take_plain_chunk(const ArrayToRead& array, const ChunkToRead& chunk, const PlainRun& run, ByteView stored,
                      ReadTarget& target, bool verify) {
  const std::uint64_t payload_bytes = array.metadata().chunk_bytes();
  if (is_checked(array, chunk, verify)) {
    check_crc32c(chunk.crc32c ? *chunk.crc32c : trailing_crc32c(stored), crc32c(stored.first(payload_bytes)));
  }
  if (target.in_place) return;
  const ByteView wanted = stored.subspan(run.chunk_offset_bytes, run.size_bytes);
  if (needs_cast(array)) {
    for (std::uint64_t offset = 0; offset < wanted.size(); offset += kPieceBytes) {
      cast_piece(array, run, offset, wanted.subspan(offset, std::min<std::uint64_t>(kPieceBytes, wanted.size() - offset)),
                 target);
    }
  } else if (!wanted.empty()) {
    std::memcpy(target.span.data + run.result_offset_bytes, wanted.data(), wanted.size());
  }
}

}  // namespace perdure::checkpoint
