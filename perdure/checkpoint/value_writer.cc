#include "perdure/checkpoint/value_writer.h"

#include "perdure/base/byte_io.h"
#include "perdure/base/checksum.h"
#include "perdure/checkpoint/chunk_bytes.h"
#include "perdure/checkpoint/chunk_shape.h"
#include "perdure/storage/codec/zstd.h"

namespace perdure::checkpoint {
namespace {

constexpr std::uint64_t kPackedAlignment = 64;

class FileSink : public ChunkSink {
 public:
  explicit FileSink(storage::DataFileWriter& file) : file_(file) {}
  void append(ByteView bytes) override { crc_ = file_.append(bytes, crc_); }
  void append(const ArrayView& array) override { crc_ = file_.append(array, crc_); }
  std::uint32_t crc() const { return crc_; }

 private:
  storage::DataFileWriter& file_;
  std::uint32_t crc_ = 0;
};

class MemorySink : public ChunkSink {
 public:
  explicit MemorySink(std::uint64_t size) { bytes_.reserve(size); }
  void append(ByteView bytes) override { bytes_.append(as_text(bytes)); }
  void append(const ArrayView& array) override {
    const std::size_t begin = bytes_.size();
    bytes_.resize(begin + array.size_bytes());
    gather_bytes(array, 0, std::as_writable_bytes(std::span(bytes_).subspan(begin)));
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

std::string crc_tail(std::uint32_t crc) {
  ByteWriter tail;
  tail.u32le(crc);
  return tail.take();
}

bool is_cast_or_joined(const PlannedArray& array) {
  return array.pieces.size() != 1 || array.pieces[0].view.dtype != array.dtype;
}

/// The stored bytes of a chunk, with all codecs.
std::string encoded_chunk(const PlannedArray& array, std::uint64_t chunk, std::uint32_t& crc) {
  MemorySink sink(array.chunk_bytes() + 4);
  append_chunk(array, chunk, sink);
  std::string bytes = sink.take();
  if (array.format.zstd) bytes = storage::make_zstd(array.format.zstd_level)->encode(Blob(as_bytes(bytes), nullptr)).text();
  crc = crc32c(as_bytes(bytes));
  if (array.format.crc32c) bytes += crc_tail(crc);
  return bytes;
}

}  // namespace

StoredValue ValueWriter::write(const PlannedArray& array, const PlannedValue& value) {
  if (value.placement == Placement::kInline || array.format.zstd) {
    StoredValue stored = encode(array, value.chunk);
    if (stored.size_bytes <= kInlineBytesMax) return stored;
    file_.align(kPackedAlignment);
    append_encoded(stored);
    return stored;
  }
  file_.align(value.placement == Placement::kPage ? kPageBytes : kPackedAlignment);
  return write_plain(array, value.chunk);
}

StoredValue ValueWriter::write_plain(const PlannedArray& array, std::uint64_t chunk) {
  StoredValue stored;
  stored.offset = file_.position();
  FileSink sink(file_);
  append_chunk(array, chunk, sink);
  stored.crc32c = sink.crc();
  copied_bytes_ += file_.position() - stored.offset;
  if (is_cast_or_joined(array)) copied_bytes_ += array.chunk_bytes();
  if (array.format.crc32c) file_.append(as_bytes(crc_tail(stored.crc32c)));
  stored.size_bytes = file_.position() - stored.offset;
  return stored;
}

StoredValue ValueWriter::encode(const PlannedArray& array, std::uint64_t chunk) {
  StoredValue stored;
  stored.inline_bytes = encoded_chunk(array, chunk, stored.crc32c);
  stored.size_bytes = stored.inline_bytes.size();
  copied_bytes_ += array.chunk_bytes();
  return stored;
}

StoredValue ValueWriter::write_alone(const PlannedArray& array, std::uint64_t chunk) {
  if (!array.format.zstd) return write_plain(array, chunk);
  StoredValue stored = encode(array, chunk);
  append_encoded(stored);
  return stored;
}

void ValueWriter::append_encoded(StoredValue& stored) {
  stored.offset = file_.position();
  file_.append(as_bytes(stored.inline_bytes));
  stored.inline_bytes = {};
}

}  // namespace perdure::checkpoint
