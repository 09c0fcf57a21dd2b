#pragma once
// Writes in flight. A queue writes aligned blocks while its owner fills the next ones, and tells for each what became of it.
// Which queue to use, and what to do about a refusal, is block_writer.h's business.
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "perdure/base/bytes.h"
#include "perdure/base/file_system.h"

namespace perdure::storage {

/// Bytes that are one behind the other in the file, and anywhere in memory.
struct Block {
  struct Part {
    ByteView bytes;
    std::shared_ptr<const void> owner;  // of a write buffer; nullptr for memory that the caller keeps
  };
  std::vector<Part> parts;
  std::size_t size_bytes = 0;  // of all parts
  std::uint64_t offset = 0;    // in the file

  void add(Part part);
  /// What is left of it when its first `written` bytes are in the file.
  Block after(std::size_t written) const;
  /// As the system calls want it. Borrows the parts.
  std::vector<iovec> iovecs() const;

  static constexpr std::size_t kPartsMax = 1024;  // IOV_MAX
};

struct WriteResult {
  Block block;
  std::size_t written_bytes = 0;        // may be fewer than the block has
  int errno_value = 0;                  // of a refusal; nothing was written then
  std::exception_ptr thrown = nullptr;  // by the File; nothing was written then
};

/// For one thread. When it goes it waits for what is still in flight.
class WriteQueue {
 public:
  virtual ~WriteQueue() = default;
  /// Starts to write. At most kInFlightMax blocks may be in flight.
  virtual void push(Block block) = 0;
  /// Waits until one is done, in any order. Something must be in flight.
  virtual WriteResult pop() = 0;
  virtual std::size_t in_flight_count() const = 0;

  static constexpr std::size_t kInFlightMax = 5;
};

/// Writes in push(): for simulated files, whose operations must have one order.
std::unique_ptr<WriteQueue> make_inline_queue(File& file);
/// Writes through the page cache in a thread.
std::unique_ptr<WriteQueue> make_buffered_queue(File& file);
/// Writes to a descriptor with O_DIRECT in a thread.
std::unique_ptr<WriteQueue> make_direct_queue(int fd);
/// nullptr where there is no io_uring: not built in, forbidden, out of locked memory.
std::unique_ptr<WriteQueue> make_io_uring_queue(int fd);

}  // namespace perdure::storage
