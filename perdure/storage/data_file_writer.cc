#include "perdure/storage/data_file_writer.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "perdure/base/buffer_pool.h"
#include "perdure/base/checksum.h"
#include "perdure/base/shape.h"
#include "perdure/storage/block_writer.h"

namespace perdure::storage {
namespace {

constexpr std::uint64_t kDirectSizeMin = 1 << 20;  // below, the page cache is faster than any set-up
constexpr std::size_t kCombineSizeMin = 8 << 10;   // below, a second look at cached bytes is cheaper than arithmetic on CRCs
constexpr std::size_t kBlockBytesMax = 8 << 20;    // of one write: as large as a write buffer

class Writer : public DataFileWriter {
 public:
  Writer(std::unique_ptr<File> file, const DataFileOptions& options)
      : file_(std::move(file)), buffer_(write_buffer_pool().acquire()) {
    blocks_.emplace(*file_, options, statistics_);
    if (options.size_hint_bytes >= kDirectSizeMin) {
      file_->reserve(options.size_hint_bytes);
      file_size_ = options.size_hint_bytes;
    }
  }

  std::uint64_t position() const override { return block_.offset + block_.size_bytes + (filled_ - pending_); }
  const WriteStatistics& statistics() const override { return statistics_; }

  std::uint32_t append(ByteView bytes, std::uint32_t crc) override {
    return guarded([&] { return copy(bytes, crc); });
  }

  std::uint32_t append(std::uint64_t size, const FillBytes& fill, std::uint32_t crc) override {
    return guarded([&] {
      for (std::uint64_t offset = 0; offset < size;) {
        const ByteSpan target = room(size - offset);
        fill(offset, target);
        statistics_.copied_bytes += target.size();
        offset += target.size();
        crc = take(target, crc, crc32c(target));
      }
      return crc;
    });
  }

  std::uint32_t append_in_place(ByteView bytes, std::uint32_t crc) override {
    return guarded([&] {
      const std::uint64_t head = align_up(position(), kDiskBlockBytes) - position();
      const bool fits = (reinterpret_cast<std::uintptr_t>(bytes.data()) + head) % kDiskBlockBytes == 0;
      if (!fits || bytes.size() < head + kDiskBlockBytes) return copy(bytes, crc);
      crc = copy(bytes.first(head), crc);
      add_pending();
      const std::uint64_t whole = (bytes.size() - head) / kDiskBlockBytes * kDiskBlockBytes;
      crc = add_in_place(bytes.subspan(head, whole), crc);
      return copy(bytes.subspan(head + whole), crc);
    });
  }

  void align(std::uint64_t alignment, std::uint64_t rest) override {
    guarded([&] {
      std::uint64_t missing = (rest + alignment - position() % alignment) % alignment;
      while (missing > 0) {
        const ByteSpan target = room(missing);
        std::memset(target.data(), 0, target.size());
        missing -= target.size();
        take(target, 0);
      }
    });
  }

  std::uint32_t finish() override {
    guarded([&] {
      const std::uint64_t size = position();
      if (size < kDirectSizeMin && block_.offset == 0) blocks_->use_page_cache();
      add_last_part();
      write_block();
      blocks_->drain();
      if (file_size_ > size) file_->truncate(size);
      file_->sync();
      blocks_.reset();
      file_.reset();
      buffer_ = {};
    });
    return file_crc_;
  }

 private:
  /// After a failure the file has holes: every later call throws it again.
  template <class Body>
  std::invoke_result_t<Body> guarded(Body body) {
    if (failure_) std::rethrow_exception(failure_);
    try {
      return body();
    } catch (...) {
      failure_ = std::current_exception();
      throw;
    }
  }

  std::uint32_t copy(ByteView bytes, std::uint32_t crc) {
    while (!bytes.empty()) {
      const ByteSpan target = room(bytes.size());
      const ByteView source = bytes.first(target.size());
      statistics_.copied_bytes += source.size();
      if (source.size() < kCombineSizeMin) {
        std::memcpy(target.data(), source.data(), source.size());
        crc = take(target, crc);
      } else {
        crc = take(target, crc, copy_and_crc32c(source, target));
      }
      bytes = bytes.subspan(source.size());
    }
    return crc;
  }

  /// Whole disk blocks, at such an offset; nothing is pending.
  std::uint32_t add_in_place(ByteView bytes, std::uint32_t crc) {
    statistics_.in_place_bytes += bytes.size();
    while (!bytes.empty()) {
      const ByteView part = bytes.first(std::min(kBlockBytesMax - block_.size_bytes, bytes.size()));
      crc = count_crc(part, crc, crc32c(part));
      add({part, nullptr});
      bytes = bytes.subspan(part.size());
    }
    return crc;
  }

  /// Where the next bytes go: 1 to `size` of them.
  ByteSpan room(std::uint64_t size) {
    const ByteSpan free = buffer_.span().subspan(filled_);
    return free.first(std::min<std::uint64_t>(size, free.size()));
  }

  /// Counts `target` in, which room() gave. Returns `crc` continued by it; `piece` is its own CRC, if that is known already.
  std::uint32_t take(ByteView target, std::uint32_t crc, std::optional<std::uint32_t> piece = std::nullopt) {
    crc = count_crc(target, crc, piece);
    filled_ += target.size();
    if (filled_ == buffer_.span().size()) add_pending();
    return crc;
  }

  std::uint32_t count_crc(ByteView bytes, std::uint32_t crc, std::optional<std::uint32_t> piece) {
    const auto continued = [&](std::uint32_t before) {
      return piece ? crc32c_combine(before, *piece, bytes.size()) : crc32c(bytes, before);
    };
    file_crc_ = continued(file_crc_);
    return continued(crc);
  }

  /// Makes what was put into the buffer since last time a part of the block: whole disk blocks, but at the end of the file.
  void add_pending() {
    if (filled_ > pending_) add({buffer_.span().subspan(pending_, filled_ - pending_), buffer_.owner()});
    pending_ = filled_;
    if (filled_ < buffer_.span().size()) return;
    buffer_ = write_buffer_pool().acquire();
    pending_ = filled_ = 0;
  }

  void add_last_part() {
    const std::size_t padded = align_up(filled_, blocks_->alignment());
    std::memset(buffer_.span().data() + filled_, 0, padded - filled_);
    filled_ = padded;
    add_pending();
  }

  void add(Block::Part part) {
    if (block_.size_bytes + part.bytes.size() > kBlockBytesMax || block_.parts.size() == Block::kPartsMax) write_block();
    block_.add(std::move(part));
    if (block_.size_bytes == kBlockBytesMax) write_block();
  }

  /// Starts to write the block.
  void write_block() {
    if (block_.parts.empty()) return;
    const std::uint64_t end = block_.offset + block_.size_bytes;
    file_size_ = std::max(file_size_, end);
    blocks_->write(std::exchange(block_, Block{.parts = {}, .size_bytes = 0, .offset = end}));
  }

  std::unique_ptr<File> file_;
  WriteStatistics statistics_;
  std::optional<BlockWriter> blocks_;
  BufferPool::Buffer buffer_;
  std::size_t pending_ = 0;      // of the buffer: what is before has been added to a block
  std::size_t filled_ = 0;       // of the buffer
  Block block_;                  // to be written when it is large enough
  std::uint64_t file_size_ = 0;  // what was reserved or written, with padding
  std::uint32_t file_crc_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

std::unique_ptr<DataFileWriter> create_data_file(FileSystem& fs, const std::string& path, const DataFileOptions& options) {
  return std::make_unique<Writer>(fs.create(path), options);
}

}  // namespace perdure::storage
