#include "perdure/storage/codec/crc32c.h"

#include <algorithm>
#include <string>

#include "perdure/base/checksum.h"
#include "perdure/storage/codec/bounded_stream.h"
#include "perdure/storage/codec/output_buffer.h"

namespace perdure::storage {
namespace {

class Crc32cCodec final : public Codec {
 public:
  std::string_view name() const override { return "crc32c"; }
  bool is_crc32c() const override { return true; }

  Blob encode(const Blob& decoded) const override {
    OutputBuffer encoded(decoded.size() + kCrc32cBytes);
    const std::uint32_t crc = copy_and_crc32c(decoded, encoded.span().first(decoded.size()));
    std::ranges::copy(crc32c_bytes(crc), encoded.span().subspan(decoded.size()).begin());
    return encoded.take(decoded.size() + kCrc32cBytes);
  }

  Blob decode(const Blob& encoded, std::size_t decoded_size_max) const override {
    if (encoded.size() < kCrc32cBytes) fail_decode(name(), "expected at least 4 bytes, found " + std::to_string(encoded.size()));
    const Blob decoded = encoded.slice(0, encoded.size() - kCrc32cBytes);
    if (decoded.size() > decoded_size_max) fail_size_over(name(), decoded.size(), decoded_size_max);
    check_crc32c(trailing_crc32c(encoded), crc32c(decoded));
    return decoded;
  }

  std::size_t encoded_size_max(std::size_t decoded_size) const override { return decoded_size + kCrc32cBytes; }
};

}  // namespace

std::unique_ptr<Codec> make_crc32c(const json::Value&, std::size_t) { return std::make_unique<Crc32cCodec>(); }

}  // namespace perdure::storage
