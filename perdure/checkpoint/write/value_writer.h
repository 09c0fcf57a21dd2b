#pragma once
// Chunks through their codecs into a data file, or into memory.
#include <cstdint>
#include <string>
#include <vector>

#include "perdure/base/bytes.h"
#include "perdure/checkpoint/plan/save_plan.h"
#include "perdure/storage/data_file_writer.h"
#include "perdure/storage/zarr/chunk_encoding.h"

namespace perdure::checkpoint {

/// A value as it was written.
struct StoredValue {
  std::string inline_bytes;  // of an inline value; else empty
  std::uint64_t offset = 0;  // in the data file
  std::uint64_t size_bytes = 0;
  std::uint32_t crc32c = 0;               // of the stored bytes, but for a CRC behind them; 0 if an encoder has put that there
  std::vector<std::uint32_t> cut_crc32c;  // of the bytes before each cut of the array that lies within the value
  bool cast_changed_values = false;
};

/// A chunk after its codecs.
struct EncodedValue {
  Blob bytes;
  std::uint64_t copied_bytes = 0;  // of the array, on the way
  bool cast_changed_values = false;
};

/// Large values of memory that stays as it is are written from where they lie: they then stand where their address stands in its page,
/// as a direct write wants it, instead of at the beginning of a page. All else is copied once, into write buffers.
///
/// For one thread. The arrays must outlive the file, or its finish().
class ValueWriter {
 public:
  explicit ValueWriter(storage::DataFileWriter& file) : file_(file) {}

  /// Memory that may change is read once: the CRC is that of the bytes that are written.
  StoredValue write(const PlannedArray& array, std::uint64_t chunk);
  /// The same in two halves, for a value that passes through codecs. encode() may be called by any thread.
  static EncodedValue encode(const PlannedArray& array, std::uint64_t chunk);
  StoredValue write(const PlannedArray& array, const EncodedValue& encoded);
  /// The same into a file of its own, from its beginning.
  StoredValue write_alone(const PlannedArray& array, std::uint64_t chunk);
  /// Bytes of arrays that were copied: into write buffers, or into memory of their own to be compressed.
  std::uint64_t copied_bytes() const { return copied_bytes_; }

 private:
  StoredValue write_plain(const PlannedArray& array, std::uint64_t chunk, std::uint64_t alignment);
  /// A part of a plain chunk, by copying it.
  std::uint32_t append(const storage::zarr::ChunkBytes& bytes, std::uint64_t begin, std::uint64_t end, std::uint32_t crc);
  StoredValue write_encoded(const PlannedArray& array, const EncodedValue& encoded, std::uint64_t inline_bytes_max);
  storage::DataFileWriter& file_;
  std::uint64_t copied_bytes_ = 0;
};

}  // namespace perdure::checkpoint
