#include <algorithm>
#include <array>
#include <string>

#include "perdure/base/error.h"
#include "perdure/storage/codec.h"
#include "perdure/storage/codec/blosc.h"
#include "perdure/storage/codec/bounded_stream.h"
#include "perdure/storage/codec/bz2.h"
#include "perdure/storage/codec/crc32c.h"
#include "perdure/storage/codec/gzip.h"
#include "perdure/storage/codec/zlib.h"
#include "perdure/storage/codec/zstd.h"

namespace perdure::storage {
namespace {

constexpr std::array kCodecTable = {
    //       name      zarr2  zarr3  expansion  make
    CodecRow{"zstd", true, true, 1 << 15, make_zstd},  CodecRow{"crc32c", false, true, 1, make_crc32c},
    CodecRow{"gzip", true, true, 1 << 11, make_gzip},  CodecRow{"blosc", true, true, 1 << 21, make_blosc},  // not known better
    CodecRow{"zlib", true, false, 1 << 11, make_zlib}, CodecRow{"bz2", true, false, 1 << 21, make_bz2},
};

}  // namespace

void Codec::decode_into(const Blob& encoded, ByteSpan target) const {
  const Blob decoded = decode(encoded, target.size());
  if (decoded.size() != target.size()) fail_decoded_size(name(), decoded.size(), target.size());
  std::ranges::copy(decoded.view(), target.begin());
}

std::span<const CodecRow> codec_table() { return kCodecTable; }

std::uint64_t expansion_max() { return std::ranges::max(kCodecTable, {}, &CodecRow::expansion_max).expansion_max; }

std::unique_ptr<Codec> make_codec(std::string_view name, const json::Value& configuration, int version, std::size_t itemsize) {
  for (const CodecRow& row : kCodecTable) {
    if (row.name != name || !(version == 2 ? row.zarr2 : row.zarr3)) continue;
    return with_note([&] { return "configuration of codec '" + std::string(name) + "'"; },
                     [&] { return row.make(configuration, itemsize); });
  }
  throw Error(ErrorKind::kInvalid, "unknown codec '" + std::string(name) + "'");
}

}  // namespace perdure::storage
