#pragma once
// Writes one data file from front to back at the speed of the disk, checksumming on the way.
//
// Bytes that somebody may change are copied once, into recycled aligned buffers, in steps that stay in cache; bytes that stay as they
// are can be written from where they lie. Full buffers are written while the next is filled: O_DIRECT through io_uring where the
// machine allows it, else O_DIRECT or plain pwrite from a thread. Any refusal falls back; statistics() says which path was taken.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "perdure/base/bytes.h"
#include "perdure/base/file_system.h"

namespace perdure::storage {

/// What memory, offset and size of a direct write must be multiples of; no common disk wants more.
inline constexpr std::uint64_t kDiskBlockBytes = 4096;

struct WriteStatistics {
  std::string_view path;             // "io_uring direct", "direct", "buffered": the last one tried
  std::uint64_t written_bytes = 0;   // taken by the operating system, with padding to whole disk blocks
  std::uint64_t copied_bytes = 0;    // put into write buffers: what was appended, without alignment
  std::uint64_t in_place_bytes = 0;  // written from where they lay
  std::uint64_t write_calls = 0;     // with those that were refused
};

/// Puts bytes [offset_bytes, offset_bytes + target.size()) of a value into `target`.
using FillBytes = std::function<void(std::uint64_t offset_bytes, ByteSpan target)>;

/// For one thread. A file that was not finished is incomplete; its owner removes it. Once a call has thrown, all others throw that too.
class DataFileWriter {
 public:
  virtual ~DataFileWriter() = default;
  virtual std::uint64_t position() const = 0;
  /// Appends bytes and returns crc32c(bytes, crc) of exactly what is written.
  virtual std::uint32_t append(ByteView bytes, std::uint32_t crc = 0) = 0;
  /// Appends `size` bytes that `fill` puts into the write buffers, front to back.
  virtual std::uint32_t append(std::uint64_t size, const FillBytes& fill, std::uint32_t crc = 0) = 0;
  /// Appends bytes that nobody changes or frees before finish() has returned or the writer is gone. They are read for their CRC and
  /// written from where they lie, but for the part of a disk block at either end; all are copied if position() and their address
  /// differ modulo kDiskBlockBytes.
  virtual std::uint32_t append_in_place(ByteView bytes, std::uint32_t crc = 0) = 0;
  /// Appends zeros until position() is `rest` modulo `alignment`.
  virtual void align(std::uint64_t alignment, std::uint64_t rest = 0) = 0;
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
