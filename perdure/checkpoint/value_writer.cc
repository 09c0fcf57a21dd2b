#include "perdure/checkpoint/value_writer.h"

#include "perdure/base/checksum.h"
#include "perdure/checkpoint/chunk_shape.h"
#include "perdure/storage/zarr/chunk_encoding.h"

namespace perdure::checkpoint {
namespace {

constexpr std::uint64_t kPackedAlignment = 64;

class FileSink : public storage::zarr::ChunkSink {
 public:
  explicit FileSink(storage::DataFileWriter& file) : file_(file) {}
  void append(ByteView bytes) override { crc_ = file_.append(bytes, crc_); }
  void append(const ArrayView& array) override { crc_ = file_.append(array, crc_); }
  std::uint32_t crc() const { return crc_; }

 private:
  storage::DataFileWriter& file_;
  std::uint32_t crc_ = 0;
};

bool is_cast_or_joined(const PlannedArray& array) {
  return array.pieces.size() != 1 || array.pieces[0].view.dtype != array.metadata.dtype;
}

}  // namespace

StoredValue ValueWriter::write(const PlannedArray& array, const PlannedValue& value) {
  if (value.placement == Placement::kInline || !array.metadata.codecs.is_plain())
    return write_encoded(array, value.chunk, kInlineBytesMax);
  file_.align(value.placement == Placement::kPage ? kPageBytes : kPackedAlignment);
  return write_plain(array, value.chunk);
}

StoredValue ValueWriter::write_alone(const PlannedArray& array, std::uint64_t chunk) {
  return array.metadata.codecs.is_plain() ? write_plain(array, chunk) : write_encoded(array, chunk, 0);
}

StoredValue ValueWriter::write_plain(const PlannedArray& array, std::uint64_t chunk) {
  StoredValue stored;
  stored.offset = file_.position();
  FileSink sink(file_);
  storage::zarr::append_chunk(array.pieces, array.metadata, chunk, sink);
  stored.crc32c = sink.crc();
  copied_bytes_ += file_.position() - stored.offset;
  if (is_cast_or_joined(array)) copied_bytes_ += array.chunk_bytes();
  if (array.metadata.codecs.has_crc32c()) file_.append(crc32c_bytes(stored.crc32c));
  stored.size_bytes = file_.position() - stored.offset;
  return stored;
}

StoredValue ValueWriter::write_encoded(const PlannedArray& array, std::uint64_t chunk, std::uint64_t inline_bytes_max) {
  const Blob encoded = storage::zarr::encode_chunk(array.pieces, array.metadata, chunk);
  copied_bytes_ += array.chunk_bytes();
  StoredValue stored;
  stored.size_bytes = encoded.size();
  if (!array.metadata.codecs.has_crc32c()) stored.crc32c = crc32c(encoded);
  if (encoded.size() <= inline_bytes_max) {
    stored.inline_bytes = encoded.text();
    return stored;
  }
  file_.align(kPackedAlignment);
  stored.offset = file_.position();
  file_.append(encoded);
  return stored;
}

}  // namespace perdure::checkpoint
