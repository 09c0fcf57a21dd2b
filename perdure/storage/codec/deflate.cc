#include "perdure/storage/codec/deflate.h"

#include <zlib.h>

#include <new>

#include "perdure/storage/codec/bounded_stream.h"
#include "perdure/storage/codec/configuration.h"
#include "perdure/storage/codec/output_buffer.h"
#include "perdure/storage/codec/stream_window.h"

namespace perdure::storage {
namespace {

constexpr int kLevelDefault = 1;
constexpr int kMemoryLevel = 8;
constexpr std::size_t kWrapperBytesMax = 18;  // of gzip: 10 in front, 8 behind

int window_bits(DeflateWrapper wrapper) { return wrapper == DeflateWrapper::kGzip ? MAX_WBITS + 16 : MAX_WBITS; }

class Inflater {
 public:
  explicit Inflater(DeflateWrapper wrapper) {
    if (inflateInit2(&stream_, window_bits(wrapper)) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  bool step(std::string_view codec, ByteView& input, ByteSpan& output) {
    const StreamWindow window(stream_, input, output);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      fail_decode(codec, stream_.msg != nullptr ? stream_.msg : "not a stream of this kind");
    }
    window.take(input, output);
    return result == Z_STREAM_END;
  }

 private:
  z_stream stream_{};
};

class DeflateCodec final : public Codec {
 public:
  DeflateCodec(std::string_view name, DeflateWrapper wrapper, int level) : name_(name), wrapper_(wrapper), level_(level) {}
  std::string_view name() const override { return name_; }

  Blob encode(const Blob& decoded) const override {
    z_stream stream{};
    if (deflateInit2(&stream, level_, Z_DEFLATED, window_bits(wrapper_), kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
    const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, deflateEnd);
    OutputBuffer encoded(encoded_size_max(decoded.size()));
    ByteView input = decoded;
    ByteSpan output = encoded.span();
    for (int result = Z_OK; result != Z_STREAM_END;) {
      const StreamWindow window(stream, input, output);
      result = deflate(&stream, window.in_size == input.size() ? Z_FINISH : Z_NO_FLUSH);
      window.take(input, output);
    }
    return encoded.take(encoded.size_max() - output.size());
  }

  Blob decode(const Blob& encoded, std::size_t decoded_size_max) const override {
    Inflater inflater(wrapper_);
    return decode_stream(name_, encoded, decoded_size_max, 0,
                         [&](ByteView& input, ByteSpan& output) { return inflater.step(name_, input, output); });
  }

  // The worst case of deflate: stored blocks, and one bit in eight of overhead for tiny ones.
  std::size_t encoded_size_max(std::size_t decoded_size) const override {
    return decoded_size + decoded_size / 8 + 64 + kWrapperBytesMax;
  }

 private:
  std::string_view name_;
  DeflateWrapper wrapper_;
  int level_;
};

}  // namespace

std::unique_ptr<Codec> make_deflate(std::string_view name, DeflateWrapper wrapper, const json::Value& configuration) {
  return std::make_unique<DeflateCodec>(name, wrapper, configured_int(configuration, "level", -1, 9, kLevelDefault));
}

}  // namespace perdure::storage
