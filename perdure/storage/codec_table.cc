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
    // clang-format off
    //       name      zarr2  zarr3  expansion  make         configuration
    CodecRow{"zstd",   true,  true,  1 << 15,   make_zstd,   zstd_configuration},
    CodecRow{"crc32c", false, true,  1,         make_crc32c, nullptr},
    CodecRow{"gzip",   true,  true,  1 << 11,   make_gzip,   nullptr},
    CodecRow{"blosc",  true,  true,  1 << 21,   make_blosc,  nullptr},  // not known better
    CodecRow{"zlib",   true,  false, 1 << 11,   make_zlib,   nullptr},
    CodecRow{"bz2",    true,  false, 1 << 21,   make_bz2,    nullptr},
    // clang-format on
};

const CodecRow* find_row(std::string_view name, int zarr_format) {
  const auto row = std::ranges::find_if(
      kCodecTable, [&](const CodecRow& codec) { return codec.name == name && (zarr_format == 2 ? codec.zarr2 : codec.zarr3); });
  return row == kCodecTable.end() ? nullptr : &*row;
}

}  // namespace

void Codec::decode_into(const Blob& encoded, ByteSpan target) const {
  const Blob decoded = decode(encoded, target.size());
  if (decoded.size() != target.size()) fail_decoded_size(name(), decoded.size(), target.size());
  std::ranges::copy(decoded.view(), target.begin());
}

std::span<const CodecRow> codec_table() { return kCodecTable; }

std::uint64_t expansion_max() { return std::ranges::max(kCodecTable, {}, &CodecRow::expansion_max).expansion_max; }

std::unique_ptr<Codec> make_codec(std::string_view name, const json::Value& configuration, int zarr_format,
                                  std::size_t itemsize) {
  const CodecRow* row = find_row(name, zarr_format);
  if (row == nullptr) throw Error(ErrorKind::kInvalid, "unknown codec '" + std::string(name) + "'");
  return with_note([&] { return "configuration of codec '" + std::string(name) + "'"; },
                   [&] { return row->make(configuration, itemsize); });
}

json::Object chosen_configuration(const CodecChoice& choice, int zarr_format) {
  const CodecRow* row = find_row(choice.name, zarr_format);
  if (row == nullptr || row->configuration == nullptr) {
    throw Error(ErrorKind::kInvalid, "codec '" + choice.name + "' is not one to write in Zarr v" + std::to_string(zarr_format));
  }
  json::Object configuration = row->configuration(choice.level, zarr_format);
  try {
    row->make(configuration, 1);
  } catch (const Error& error) {
    throw Error(ErrorKind::kInvalid,
                "level " + std::to_string(choice.level) + " of codec '" + choice.name + "': " + error.message());
  }
  return configuration;
}

}  // namespace perdure::storage
