#include "perdure/storage/codec/blosc.h"

#include <blosc.h>

#include <algorithm>
#include <string>

#include "perdure/base/error.h"
#include "perdure/storage/codec/bounded_stream.h"
#include "perdure/storage/codec/configuration.h"
#include "perdure/storage/codec/output_buffer.h"

namespace perdure::storage {
namespace {

constexpr int kOwnThreadOnly = 1;
constexpr std::string_view kShuffleNames[] = {"noshuffle", "shuffle", "bitshuffle"};  // the index is Blosc's number
constexpr std::string_view kCompressors[] = {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"};

struct BloscOptions {
  std::string compressor = "lz4";
  int level = 5;
  int shuffle = BLOSC_SHUFFLE;
  std::size_t typesize = 1;
  std::size_t blocksize = 0;  // 0: Blosc chooses
};

class BloscCodec final : public Codec {
 public:
  explicit BloscCodec(BloscOptions options) : options_(std::move(options)) {}
  std::string_view name() const override { return "blosc"; }

  Blob encode(const Blob& decoded) const override {
    if (decoded.size() > BLOSC_MAX_BUFFERSIZE) {
      throw Error(ErrorKind::kInvalid, "blosc: a chunk has at most " + std::to_string(BLOSC_MAX_BUFFERSIZE) + " bytes, not " +
                                           std::to_string(decoded.size()));
    }
    OutputBuffer encoded(encoded_size_max(decoded.size()));
    const int size =
        blosc_compress_ctx(options_.level, options_.shuffle, options_.typesize, decoded.size(), decoded.data(), encoded.data(),
                           encoded.size_max(), options_.compressor.c_str(), options_.blocksize, kOwnThreadOnly);
    if (size <= 0) throw Error(ErrorKind::kInvalid, "blosc: cannot compress with '" + options_.compressor + "'");
    return encoded.take(static_cast<std::size_t>(size));
  }

  Blob decode(const Blob& encoded, std::size_t decoded_size_max) const override {
    std::size_t size = 0;
    if (blosc_cbuffer_validate(encoded.data(), encoded.size(), &size) != 0) fail_decode(name(), "not a buffer of this size");
    if (size > decoded_size_max) fail_size_over(name(), size, decoded_size_max);
    OutputBuffer decoded(size);
    const int found = blosc_decompress_ctx(encoded.data(), decoded.data(), size, kOwnThreadOnly);
    if (found < 0) fail_decode(name(), "the buffer is damaged");
    if (static_cast<std::size_t>(found) != size) fail_decoded_size(name(), static_cast<std::size_t>(found), size);
    return decoded.take(size);
  }

  std::size_t encoded_size_max(std::size_t decoded_size) const override { return decoded_size + BLOSC_MAX_OVERHEAD; }

 private:
  BloscOptions options_;
};

/// A number in .zarray (-1: as the itemsize suggests), a name in zarr.json.
int shuffle_of(const json::Value& configuration, std::size_t itemsize) {
  const json::Value* member = find_configured(configuration, "shuffle");
  if (member != nullptr && member->is_string()) {
    const auto* found = std::find(std::begin(kShuffleNames), std::end(kShuffleNames), member->as_string());
    if (found == std::end(kShuffleNames)) throw Error(ErrorKind::kCorrupt, "unknown shuffle '" + member->as_string() + "'");
    return static_cast<int>(found - std::begin(kShuffleNames));
  }
  const int number = configured_int(configuration, "shuffle", -1, BLOSC_BITSHUFFLE, -1);
  if (number >= 0) return number;
  return itemsize == 1 ? BLOSC_BITSHUFFLE : BLOSC_SHUFFLE;
}

std::string compressor_of(const json::Value& configuration) {
  const json::Value* member = find_configured(configuration, "cname");
  if (member == nullptr) return "lz4";
  const std::string& name = member->as_string();
  if (std::find(std::begin(kCompressors), std::end(kCompressors), name) == std::end(kCompressors)) {
    throw Error(ErrorKind::kInvalid, "unknown compressor '" + name + "'");
  }
  return name;
}

}  // namespace

std::unique_ptr<Codec> make_blosc(const json::Value& configuration, std::size_t itemsize) {
  BloscOptions options;
  options.compressor = compressor_of(configuration);
  options.level = configured_int(configuration, "clevel", 0, 9, options.level);
  options.shuffle = shuffle_of(configuration, itemsize);
  options.typesize = static_cast<std::size_t>(
      configured_int(configuration, "typesize", 1, BLOSC_MAX_TYPESIZE, static_cast<int>(std::max<std::size_t>(itemsize, 1))));
  options.blocksize = static_cast<std::size_t>(configured_int(configuration, "blocksize", 0, BLOSC_MAX_BUFFERSIZE, 0));
  return std::make_unique<BloscCodec>(std::move(options));
}

}  // namespace perdure::storage
