#include "perdure/storage/codec/zstd.h"

#include <zstd.h>

#include <cstring>
#include <new>
#include <string>

#include "perdure/base/error.h"
#include "perdure/storage/codec/bounded_stream.h"
#include "perdure/storage/codec/configuration.h"
#include "perdure/storage/codec/output_buffer.h"

namespace perdure::storage {
namespace {

constexpr int kLevelDefault = 3;
constexpr unsigned char kMagic[] = {0x28, 0xb5, 0x2f, 0xfd};

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// Making a context costs more than decoding a small chunk: each thread keeps its own.
ZSTD_CCtx& encoder() {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  if (!context) throw std::bad_alloc();
  ZSTD_CCtx_reset(context.get(), ZSTD_reset_session_and_parameters);
  return *context;
}
ZSTD_DCtx& decoder() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  if (!context) throw std::bad_alloc();
  ZSTD_DCtx_reset(context.get(), ZSTD_reset_session_and_parameters);
  return *context;
}

bool decode_step(ZSTD_DCtx& context, ByteView& input, ByteSpan& output) {
  ZSTD_inBuffer in{input.data(), input.size(), 0};
  ZSTD_outBuffer out{output.data(), output.size(), 0};
  const std::size_t left = ZSTD_decompressStream(&context, &out, &in);
  if (ZSTD_isError(left)) fail_decode("zstd", ZSTD_getErrorName(left));
  input = input.subspan(in.pos);
  output = output.subspan(out.pos);
  return left == 0;
}

/// What the header of the only frame claims, or ZSTD_CONTENTSIZE_UNKNOWN.
unsigned long long content_size(ByteView encoded) {
  // A skippable frame would decode to nothing; TensorStore refuses it too.
  if (encoded.size() < sizeof kMagic || std::memcmp(encoded.data(), kMagic, sizeof kMagic) != 0)
    fail_decode("zstd", "not a frame");
  const unsigned long long size = ZSTD_getFrameContentSize(encoded.data(), encoded.size());
  if (size == ZSTD_CONTENTSIZE_ERROR) fail_decode("zstd", "the frame header ends early");
  return size;
}

class ZstdCodec final : public Codec {
 public:
  ZstdCodec(int level, bool checksum) : level_(level), checksum_(checksum) {}
  std::string_view name() const override { return "zstd"; }

  Blob encode(const Blob& decoded) const override {
    ZSTD_CCtx& context = encoder();
    ZSTD_CCtx_setParameter(&context, ZSTD_c_compressionLevel, level_);
    ZSTD_CCtx_setParameter(&context, ZSTD_c_checksumFlag, checksum_);
    OutputBuffer encoded(encoded_size_max(decoded.size()));
    const std::size_t size = ZSTD_compress2(&context, encoded.data(), encoded.size_max(), decoded.data(), decoded.size());
    if (ZSTD_isError(size)) throw Error(ErrorKind::kInvalid, std::string("zstd: ") + ZSTD_getErrorName(size));
    return encoded.take(size);
  }

  Blob decode(const Blob& encoded, std::size_t decoded_size_max) const override {
    const unsigned long long size = content_size(encoded);
    const bool known = size != ZSTD_CONTENTSIZE_UNKNOWN;
    if (known && size > decoded_size_max) fail_size_over(name(), size, decoded_size_max);
    ZSTD_DCtx& context = decoder();
    return decode_stream(name(), encoded, decoded_size_max, known ? size : 0,
                         [&](ByteView& input, ByteSpan& output) { return decode_step(context, input, output); });
  }

  void decode_into(const Blob& encoded, ByteSpan target) const override {
    const unsigned long long claimed = content_size(encoded);
    if (claimed != ZSTD_CONTENTSIZE_UNKNOWN && claimed != target.size()) fail_decoded_size(name(), claimed, target.size());
    const std::size_t frame_size = ZSTD_findFrameCompressedSize(encoded.data(), encoded.size());
    if (ZSTD_isError(frame_size)) fail_decode(name(), ZSTD_getErrorName(frame_size));
    if (frame_size != encoded.size()) fail_trailing(name(), encoded.size() - frame_size);
    const std::size_t found = ZSTD_decompressDCtx(&decoder(), target.data(), target.size(), encoded.data(), encoded.size());
    if (ZSTD_isError(found)) fail_decode(name(), ZSTD_getErrorName(found));
    if (found != target.size()) fail_decoded_size(name(), found, target.size());
  }

  std::size_t encoded_size_max(std::size_t decoded_size) const override { return ZSTD_compressBound(decoded_size); }

 private:
  int level_;
  bool checksum_;
};

}  // namespace

json::Object zstd_configuration(int level, const CodecUse& use) {
  json::Object configuration{{"level", level}};
  if (use.zarr_format == 3)
    configuration.add("checksum", false);  // not in .zarray: TensorStore refuses members that it does not know
  return configuration;
}

std::unique_ptr<Codec> make_zstd(int level, bool checksum) { return std::make_unique<ZstdCodec>(level, checksum); }

std::unique_ptr<Codec> make_zstd(const json::Value& configuration, std::size_t) {
  const json::Value* checksum = find_configured(configuration, "checksum");
  return make_zstd(configured_int(configuration, "level", ZSTD_minCLevel(), ZSTD_maxCLevel(), kLevelDefault),
                   checksum != nullptr && checksum->as_bool());
}

}  // namespace perdure::storage
