#include "perdure/storage/codec/bz2.h"

#include <bzlib.h>

#include <new>

#include "perdure/storage/codec/bounded_stream.h"
#include "perdure/storage/codec/configuration.h"
#include "perdure/storage/codec/output_buffer.h"
#include "perdure/storage/codec/stream_window.h"

namespace perdure::storage {
namespace {

constexpr int kLevelDefault = 1;

class Decompressor {
 public:
  Decompressor() {
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }
  ~Decompressor() { BZ2_bzDecompressEnd(&stream_); }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  bool step(ByteView& input, ByteSpan& output) {
    const StreamWindow window(stream_, input, output);
    const int result = BZ2_bzDecompress(&stream_);
    if (result == BZ_MEM_ERROR) throw std::bad_alloc();
    if (result != BZ_OK && result != BZ_STREAM_END) {
      fail_decode("bz2", result == BZ_DATA_ERROR_MAGIC ? "not a bzip2 stream" : "the stream is damaged");
    }
    window.take(input, output);
    return result == BZ_STREAM_END;
  }

 private:
  bz_stream stream_{};
};

class Bz2Codec final : public Codec {
 public:
  explicit Bz2Codec(int level) : level_(level) {}
  std::string_view name() const override { return "bz2"; }

  Blob encode(const Blob& decoded) const override {
    bz_stream stream{};
    if (BZ2_bzCompressInit(&stream, level_, 0, 0) != BZ_OK) throw std::bad_alloc();
    const std::unique_ptr<bz_stream, int (*)(bz_stream*)> owner(&stream, BZ2_bzCompressEnd);
    OutputBuffer encoded(encoded_size_max(decoded.size()));
    ByteView input = decoded;
    ByteSpan output = encoded.span();
    for (int result = BZ_OK; result != BZ_STREAM_END;) {
      const StreamWindow window(stream, input, output);
      result = BZ2_bzCompress(&stream, window.in_size == input.size() ? BZ_FINISH : BZ_RUN);
      window.take(input, output);
    }
    return encoded.take(encoded.size_max() - output.size());
  }

  Blob decode(const Blob& encoded, std::size_t decoded_size_max) const override {
    Decompressor decompressor;
    return decode_stream(name(), encoded, decoded_size_max, 0,
                         [&](ByteView& input, ByteSpan& output) { return decompressor.step(input, output); });
  }

  // The manual of bzip2: one percent and 600 bytes.
  std::size_t encoded_size_max(std::size_t decoded_size) const override { return decoded_size + decoded_size / 100 + 1 + 600; }

 private:
  int level_;
};

}  // namespace

std::unique_ptr<Codec> make_bz2(const json::Value& configuration, std::size_t) {
  return std::make_unique<Bz2Codec>(configured_int(configuration, "level", 1, 9, kLevelDefault));
}

}  // namespace perdure::storage
