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
constexpr std::size_t kGatherStep = 256 << 10;     // gathered bytes are still in a near cache when their CRC is taken
constexpr std::size_t kCombineSizeMin = 8 << 10;   // below, a second look at cached bytes is cheaper than arithmetic on CRCs

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

  std::uint64_t position() const override { return buffer_offset_ + filled_; }
  const WriteStatistics& statistics() const override { return statistics_; }

  std::uint32_t append(ByteView bytes, std::uint32_t crc) override {
    return guarded([&] {
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
    });
  }

  std::uint32_t append(const ArrayView& array, std::uint32_t crc) override {
    if (array.is_contiguous()) return append(array.bytes(), crc);
    return guarded([&] {
      const std::uint64_t size = array.size_bytes();
      for (std::uint64_t offset = 0; offset < size;) {
        const ByteSpan target = room(std::min<std::uint64_t>(kGatherStep, size - offset));
        gather_bytes(array, offset, target);
        statistics_.copied_bytes += target.size();
        offset += target.size();
        crc = take(target, crc, crc32c(target));
      }
      return crc;
    });
  }

  void align(std::uint64_t alignment) override {
    guarded([&] {
      for (std::uint64_t missing = align_up(position(), alignment) - position(); missing > 0;) {
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
      if (size < kDirectSizeMin) blocks_->use_page_cache();
      write_last_block();
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

  /// Where the next bytes go: 1 to `size` of them.
  ByteSpan room(std::uint64_t size) {
    const ByteSpan free = buffer_.span().subspan(filled_);
    return free.first(std::min<std::uint64_t>(size, free.size()));
  }

  /// Counts `target` in, which room() gave. Returns `crc` continued by it; `piece` is its own CRC, if that is known already.
  std::uint32_t take(ByteView target, std::uint32_t crc, std::optional<std::uint32_t> piece = std::nullopt) {
    const auto continued = [&](std::uint32_t before) {
      return piece ? crc32c_combine(before, *piece, target.size()) : crc32c(target, before);
    };
    file_crc_ = continued(file_crc_);
    crc = continued(crc);
    filled_ += target.size();
    if (filled_ == buffer_.span().size()) {
      write_buffer(filled_);
      buffer_ = write_buffer_pool().acquire();
      buffer_offset_ += std::exchange(filled_, 0);
    }
    return crc;
  }

  void write_last_block() {
    if (filled_ == 0) return;
    const std::size_t padded = align_up(filled_, blocks_->alignment());
    std::memset(buffer_.span().data() + filled_, 0, padded - filled_);
    write_buffer(padded);
  }

  void write_buffer(std::size_t size) {
    file_size_ = std::max(file_size_, buffer_offset_ + size);
    blocks_->write({.buffer = std::move(buffer_), .size_bytes = size, .offset = buffer_offset_});
  }

  std::unique_ptr<File> file_;
  WriteStatistics statistics_;
  std::optional<BlockWriter> blocks_;
  BufferPool::Buffer buffer_;
  std::uint64_t buffer_offset_ = 0;  // of the buffer's first byte in the file
  std::size_t filled_ = 0;
  std::uint64_t file_size_ = 0;  // what was reserved or written, with padding
  std::uint32_t file_crc_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

std::unique_ptr<DataFileWriter> create_data_file(FileSystem& fs, const std::string& path, const DataFileOptions& options) {
  return std::make_unique<Writer>(fs.create(path), options);
}

}  // namespace perdure::storage
