#include "perdure/storage/block_writer.h"

#include <fcntl.h>

#include <cerrno>
#include <vector>

#include "perdure/base/error.h"

namespace perdure::storage {
namespace {

constexpr std::string_view kWayNames[] = {"io_uring direct", "direct", "buffered"};

bool set_direct(int fd, bool direct) {
  const int flags = ::fcntl(fd, F_GETFL);
  return flags >= 0 && ::fcntl(fd, F_SETFL, direct ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
}

/// Failures that no other way of writing would mend.
bool is_of_the_disk(int errno_value) {
  return errno_value == ENOSPC || errno_value == EIO || errno_value == EFBIG || errno_value == EDQUOT || errno_value == EROFS;
}

}  // namespace

BlockWriter::BlockWriter(File& file, const DataFileOptions& options, WriteStatistics& statistics)
    : file_(file), simulated_(file.native_handle() < 0), statistics_(statistics), way_(Way::kBuffered) {
  if (options.direct && !simulated_) way_ = options.io_uring ? Way::kIoUring : Way::kDirect;
  statistics_.path = kWayNames[static_cast<int>(way_)];
}

void BlockWriter::use_page_cache() {
  way_ = Way::kBuffered;
  queue_ = make_inline_queue(file_);
  statistics_.path = kWayNames[static_cast<int>(way_)];
}

std::size_t BlockWriter::alignment() {
  if (!queue_) open_queue();
  return way_ == Way::kBuffered ? 1 : kDiskBlockBytes;
}

void BlockWriter::open_queue() {
  const int fd = file_.native_handle();
  if (way_ != Way::kBuffered && !set_direct(fd, true)) way_ = Way::kBuffered;
  if (way_ == Way::kIoUring && !(queue_ = make_io_uring_queue(fd))) way_ = Way::kDirect;
  if (way_ == Way::kDirect) queue_ = make_direct_queue(fd);
  if (way_ == Way::kBuffered) {
    if (!simulated_) set_direct(fd, false);
    queue_ = simulated_ ? make_inline_queue(file_) : make_buffered_queue(file_);
  }
  statistics_.path = kWayNames[static_cast<int>(way_)];
}

void BlockWriter::write(Block block) {
  if (!queue_) open_queue();
  while (queue_->in_flight_count() >= WriteQueue::kInFlightMax) finish_one();
  push(std::move(block));
}

void BlockWriter::drain() {
  while (queue_ && queue_->in_flight_count() > 0) finish_one();
}

void BlockWriter::push(Block block) {
  ++statistics_.write_calls;
  queue_->push(std::move(block));
}

void BlockWriter::finish_one() {
  WriteResult result = queue_->pop();
  statistics_.written_bytes += result.written_bytes;
  if (result.thrown || is_of_the_disk(result.errno_value)) fail(result);
  if (result.errno_value != 0 || result.written_bytes == 0) {
    fall_back(std::move(result.block));
  } else if (result.written_bytes < result.block.size_bytes) {
    push(result.block.after(result.written_bytes));
  }
}

void BlockWriter::fall_back(Block refused) {
  std::vector<Block> again = {std::move(refused)};
  while (queue_->in_flight_count() > 0) {
    const WriteResult result = queue_->pop();
    statistics_.written_bytes += result.written_bytes;
    if (result.thrown || is_of_the_disk(result.errno_value)) fail(result);
    if (result.written_bytes < result.block.size_bytes) again.push_back(result.block.after(result.written_bytes));
  }
  queue_.reset();
  way_ = way_ == Way::kIoUring ? Way::kDirect : Way::kBuffered;
  open_queue();
  for (Block& block : again) push(std::move(block));
}

void BlockWriter::fail(const WriteResult& result) const {
  try {
    if (result.thrown) std::rethrow_exception(result.thrown);
    throw io_error("cannot write", file_.path(), result.errno_value);
  } catch (Error& error) {
    error.add_note(std::to_string(result.block.size_bytes) + " bytes at byte " + std::to_string(result.block.offset));
    throw;
  }
}

}  // namespace perdure::storage
