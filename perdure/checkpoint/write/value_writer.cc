#include "perdure/checkpoint/write/value_writer.h"

#include <algorithm>

#include "perdure/base/checksum.h"
#include "perdure/checkpoint/plan/chunk_shape.h"
#include "perdure/checkpoint/plan/slices.h"
#include "perdure/storage/zarr/chunk_encoding.h"

namespace perdure::checkpoint {
namespace {

constexpr std::uint64_t kPackedAlignment = 64;

/// Where in its page a value is placed.
std::uint64_t offset_in_page(ByteView bytes) { return reinterpret_cast<std::uintptr_t>(bytes.data()) % kPageBytes; }

}  // namespace

StoredValue ValueWriter::write(const PlannedArray& array, std::uint64_t chunk) {
  if (array.placement == Placement::kInline || !array.metadata.codecs.is_plain()) return write(array, encode(array, chunk));
  return write_plain(array, chunk, array.placement == Placement::kPage ? kPageBytes : kPackedAlignment);
}

StoredValue ValueWriter::write_alone(const PlannedArray& array, std::uint64_t chunk) {
  return array.metadata.codecs.is_plain() ? write_plain(array, chunk, 1) : write_encoded(array, encode(array, chunk), 0);
}

StoredValue ValueWriter::write_plain(const PlannedArray& array, std::uint64_t chunk, std::uint64_t alignment) {
  const storage::zarr::ChunkBytes bytes(array.pieces, array.metadata, chunk);
  const ByteView in_memory = bytes.in_memory();
  const bool in_place = array.is_immutable && in_memory.size() >= kPagePlacementBytesMin;
  if (!array.sharing.is_joined || chunk == 0)
    file_.align(alignment, in_place && alignment == kPageBytes ? offset_in_page(in_memory) : 0);
  StoredValue stored;
  stored.offset = file_.position();
  const std::uint64_t in_place_before = file_.statistics().in_place_bytes;
  std::uint64_t done = 0;
  for (const std::uint64_t cut : cuts_within(array, chunk)) {
    const std::uint64_t end = cut - chunk * array.chunk_bytes();
    stored.crc32c =
        in_place ? crc32c(in_memory.subspan(done, end - done), stored.crc32c) : append(bytes, done, end, stored.crc32c);
    stored.cut_crc32c.push_back(stored.crc32c);
    done = end;
  }
  if (in_place) {
    stored.crc32c = file_.append_in_place(in_memory);
    done = in_memory.size();
  }
  stored.crc32c = append(bytes, done, bytes.size_bytes(), stored.crc32c);
  copied_bytes_ += bytes.size_bytes() - (file_.statistics().in_place_bytes - in_place_before);
  if (array.metadata.codecs.has_crc32c()) file_.append(crc32c_bytes(stored.crc32c));
  stored.size_bytes = file_.position() - stored.offset;
  stored.cast_changed_values = bytes.cast_changed_values();
  return stored;
}

std::uint32_t ValueWriter::append(const storage::zarr::ChunkBytes& bytes, std::uint64_t begin, std::uint64_t end,
                                  std::uint32_t crc) {
  const ByteView in_memory = bytes.in_memory();
  if (begin < in_memory.size()) {
    const ByteView part = in_memory.subspan(begin, std::min<std::uint64_t>(end, in_memory.size()) - begin);
    crc = file_.append(part, crc);
    begin += part.size();
  }
  return file_.append(
      end - begin, [&](std::uint64_t offset, ByteSpan target) { bytes.fill(begin + offset, target); }, crc);
}

EncodedValue ValueWriter::encode(const PlannedArray& array, std::uint64_t chunk) {
  const storage::zarr::ChunkBytes bytes(array.pieces, array.metadata, chunk);
  const bool in_place = array.is_immutable && bytes.in_memory().size() == bytes.size_bytes();
  Blob encoded = storage::zarr::encode_chunk(bytes, in_place);
  return {std::move(encoded), in_place ? 0 : bytes.size_bytes(), bytes.cast_changed_values()};
}

StoredValue ValueWriter::write(const PlannedArray& array, const EncodedValue& encoded) {
  return write_encoded(array, encoded, kInlineBytesMax);
}

StoredValue ValueWriter::write_encoded(const PlannedArray& array, const EncodedValue& encoded, std::uint64_t inline_bytes_max) {
  copied_bytes_ += encoded.copied_bytes;
  StoredValue stored;
  stored.cast_changed_values = encoded.cast_changed_values;
  stored.size_bytes = encoded.bytes.size();
  if (!array.metadata.codecs.has_crc32c()) stored.crc32c = crc32c(encoded.bytes);
  if (encoded.bytes.size() <= inline_bytes_max) {
    stored.inline_bytes = encoded.bytes.text();
    return stored;
  }
  file_.align(kPackedAlignment);
  stored.offset = file_.position();
  file_.append(encoded.bytes);
  return stored;
}

}  // namespace perdure::checkpoint
