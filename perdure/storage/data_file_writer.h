#pragma once
// Writes one data file from front to back at the speed of the disk, checksumming on the way.
//
// Bytes are copied once, into recycled aligned buffers, in steps that stay in cache; full buffers are written while the
// next is filled: O_DIRECT through io_uring where the machine allows it, else O_DIRECT or plain pwrite from a thread. Any refusal
// falls back; statistics() says which path was taken.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "perdure/base/array_view.h"
#include "perdure/base/file_system.h"

namespace perdure::storage {

struct WriteStatistics {
  std::string_view path;            // "io_uring direct", "direct", "buffered": the last one tried
  std::uint64_t written_bytes = 0;  // taken by the operating system, with padding to whole disk blocks
  std::uint64_t copied_bytes = 0;   // copied into write buffers: what was appended, without alignment
  std::uint64_t write_calls = 0;    // with those that were refused
};

/// For one thread. A file that was not finished is incomplete; its owner removes it. Once a call has thrown, all others throw that too.
class DataFileWriter {
 public:
  virtual ~DataFileWriter() = default;
  virtual std::uint64_t position() const = 0;
  /// Appends bytes and returns crc32c(bytes, crc) of exactly what is written.
  virtual std::uint32_t append(ByteView bytes, std::uint32_t crc = 0) = 0;
  /// Appends the elements of a strided array in C order.
  virtual std::uint32_t append(const ArrayView& array, std::uint32_t crc = 0) = 0;
  /// Appends zeros up to a multiple of `alignment`.
  virtual void align(std::uint64_t alignment) = 0;
  /// Writes what is left, syncs and closes. CRC-32C of the whole file. Throws kIo if anything was not written or not synced.
  virtual std::uint32_t finish() = 0;
  virtual const WriteStatistics& statistics() const = 0;
};

struct DataFileOptions {
  std::uint64_t size_hint_bytes = 0;  // reserved on disk if known
  bool direct = true;                 // try O_DIRECT
  bool io_uring = true;               // try it through io_uring
};

/// Creates `path` (kAlreadyExists if it is there).
std::unique_ptr<DataFileWriter> create_data_file(FileSystem& fs, const std::string& path, const DataFileOptions& options = {});

}  // namespace perdure::storage
