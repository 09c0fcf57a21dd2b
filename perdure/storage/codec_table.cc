#include <algorithm>
#include <array>
#include <cassert>
#include <string>
#include <utility>

#include "perdure/base/error.h"
#include "perdure/storage/codec.h"
#include "perdure/storage/codec/blosc.h"
#include "perdure/storage/codec/bz2.h"
#include "perdure/storage/codec/crc32c.h"
#include "perdure/storage/codec/gzip.h"
#include "perdure/storage/codec/zlib.h"
#include "perdure/storage/codec/zstd.h"

namespace perdure::storage {
namespace {

constexpr std::array kCodecTable = {
    // clang-format off
    //       name      zarr2   zarr3     expansion  make         configuration
    CodecRow{"zstd",   "zstd", "zstd",   1 << 15,   make_zstd,   zstd_configuration},
    CodecRow{"crc32c", "",     "crc32c", 1,         make_crc32c, nullptr},
    CodecRow{"gzip",   "gzip", "gzip",   1 << 11,   make_gzip,   nullptr},
    CodecRow{"blosc",  "blosc", "blosc", 1 << 21,   make_blosc,  nullptr},  // not known better
    CodecRow{"zlib",   "zlib", "",       1 << 11,   make_zlib,   nullptr},
    CodecRow{"bz2",    "bz2",  "",       1 << 21,   make_bz2,    nullptr},
    // clang-format on
};

const CodecRow* find_row(std::string_view name) {
  const auto row = std::ranges::find(kCodecTable, name, &CodecRow::name);
  return row == kCodecTable.end() ? nullptr : &*row;
}

}  // namespace

std::span<const CodecRow> codec_table() { return kCodecTable; }

std::uint64_t expansion_max(const Codec& codec) {
  const CodecRow* row = find_row(codec.name());
  assert(row != nullptr);
  return row->expansion_max;
}

std::unique_ptr<Codec> make_codec(std::string_view name, const json::Value& configuration, const CodecUse& use) {
  const auto row = std::ranges::find_if(
      kCodecTable, [&](const CodecRow& codec) { return !name.empty() && codec.name_in(use.zarr_format) == name; });
  if (row == kCodecTable.end()) throw Error(ErrorKind::kInvalid, "unknown codec '" + std::string(name) + "'");
  return with_note([&] { return "configuration of codec '" + std::string(name) + "'"; },
                   [&] { return row->make(configuration, use.itemsize); });
}

CodecMetadata chosen_codec(const CodecChoice& choice, const CodecUse& use) {
  const CodecRow* row = find_row(choice.name);
  if (row == nullptr || row->configuration == nullptr || row->name_in(use.zarr_format).empty()) {
    throw Error(ErrorKind::kInvalid,
                "codec '" + choice.name + "' is not one to write in Zarr v" + std::to_string(use.zarr_format));
  }
  json::Value configuration = row->configuration(choice.level, use);
  try {
    row->make(configuration, use.itemsize);
  } catch (const Error& error) {
    throw Error(ErrorKind::kInvalid,
                "level " + std::to_string(choice.level) + " of codec '" + choice.name + "': " + error.message());
  }
  return {row->name_in(use.zarr_format), std::move(configuration)};
}

}  // namespace perdure::storage
