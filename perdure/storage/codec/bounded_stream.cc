#include "perdure/storage/codec/bounded_stream.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>

#include "perdure/base/error.h"

namespace perdure::storage {
namespace {

constexpr std::size_t kFirstSizeMin = 64 << 10;
constexpr std::size_t kLikelyRatio = 16;  // decoded to encoded; a stream that expands more grows step by step

/// Memory that may grow in place, up to one byte more than the limit: that byte shows that the limit was passed.
class GrowingBuffer {
 public:
  GrowingBuffer(std::size_t first_size, std::size_t size_max) : size_max_(size_max) { resize(std::min(first_size, size_max)); }
  ~GrowingBuffer() { std::free(data_); }
  GrowingBuffer(const GrowingBuffer&) = delete;
  GrowingBuffer& operator=(const GrowingBuffer&) = delete;

  ByteSpan rest() { return ByteSpan(data_ + used_, size_ - used_); }
  void use(std::size_t count) { used_ += count; }
  std::size_t used() const { return used_; }
  void grow() { resize(size_ > size_max_ / 2 ? size_max_ : 2 * size_); }
  Blob take() {
    std::shared_ptr<void> owner(data_, std::free);
    return Blob(ByteView(std::exchange(data_, nullptr), used_), owner);
  }

 private:
  void resize(std::size_t size) {
    void* moved = std::realloc(data_, size);
    if (moved == nullptr) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(moved);
    size_ = size;
  }
  std::byte* data_ = nullptr;
  std::size_t size_ = 0, used_ = 0;
  const std::size_t size_max_;
};

std::size_t first_size(std::size_t encoded_size, std::size_t likely_size) {
  const std::size_t believable =
      std::max(kFirstSizeMin, encoded_size < SIZE_MAX / kLikelyRatio ? encoded_size * kLikelyRatio : 0);
  return likely_size == 0 ? std::max(kFirstSizeMin, 4 * std::min(encoded_size, SIZE_MAX / 4))
                          : std::min(likely_size, believable) + 1;
}

}  // namespace

void fail_decode(std::string_view codec, std::string_view problem) {
  throw Error(ErrorKind::kCorrupt, std::string(codec) + ": " + std::string(problem));
}

void fail_decoded_size(std::string_view codec, std::size_t found, std::size_t expected) {
  fail_decode(codec, "expected " + std::to_string(expected) + " decoded bytes, found " + std::to_string(found));
}

void fail_trailing(std::string_view codec, std::size_t trailing_bytes) {
  fail_decode(codec, std::to_string(trailing_bytes) + " bytes follow the end of the stream");
}

void fail_size_over(std::string_view codec, std::size_t found, std::size_t decoded_size_max) {
  fail_decode(codec, "expected at most " + std::to_string(decoded_size_max) + " decoded bytes, found " + std::to_string(found));
}

Blob decode_stream(std::string_view codec, ByteView encoded, std::size_t decoded_size_max, std::size_t likely_size,
                   const DecodeStep& step) {
  const std::size_t limit = std::min(decoded_size_max, std::numeric_limits<std::size_t>::max() - 1) + 1;
  GrowingBuffer decoded(first_size(encoded.size(), likely_size), limit);
  for (ByteView input = encoded;;) {
    ByteSpan output = decoded.rest();
    const std::size_t input_before = input.size(), output_before = output.size();
    const bool ended = step(input, output);
    decoded.use(output_before - output.size());
    if (decoded.used() > decoded_size_max) {
      fail_decode(codec, "expected at most " + std::to_string(decoded_size_max) + " decoded bytes, found more");
    }
    if (ended) {
      if (!input.empty()) fail_trailing(codec, input.size());
      return decoded.take();
    }
    if (output.empty()) {
      decoded.grow();
    } else if (input.empty() || (input.size() == input_before && output.size() == output_before)) {
      fail_decode(codec, "the stream ends early, after " + std::to_string(decoded.used()) + " decoded bytes");
    }
  }
}

}  // namespace perdure::storage
