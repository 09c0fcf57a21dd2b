#pragma once
// Bytes-to-bytes codecs of a chunk: compressors and checksums.
//
// A chunk passes through its codecs in the order of zarr.json when written, and in reverse when read.
// To add one: a .h/.cc pair in codec/, a row in codec_table.cc (docs/design/extending.md).
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "perdure/base/bytes.h"
#include "perdure/base/json.h"

namespace perdure::storage {

/// Immutable after construction; any thread may call any member.
class Codec {
 public:
  virtual ~Codec() = default;
  virtual std::string_view name() const = 0;  // of its row: "zstd"
  virtual Blob encode(const Blob& decoded) const = 0;

  /// `decoded_size_max` (bytes) bounds the output, so that a hostile frame cannot make us
  /// allocate more. Throws kCorrupt. The result may share memory with `encoded`.
  virtual Blob decode(const Blob& encoded, std::size_t decoded_size_max) const = 0;

  /// As decode, of exactly target.size() bytes into `target`. Throws kCorrupt if they are more or fewer.
  virtual void decode_into(const Blob& encoded, ByteSpan target) const;

  /// Largest encoding of `decoded_size` bytes, for checks of stored sizes.
  virtual std::size_t encoded_size_max(std::size_t decoded_size) const = 0;

  /// True for the one codec that appends a CRC-32C (base/checksum.h) and changes nothing else: what stands before it can be read in parts.
  virtual bool is_crc32c() const { return false; }
};

/// How a save compresses: a codec of the table, and a level, which the codec maps to what its library has.
struct CodecChoice {
  std::string name = "zstd";
  int level = 1;
  bool operator==(const CodecChoice&) const = default;
};

/// The array that a codec is for.
struct CodecUse {
  int zarr_format = 3;  // 2 or 3
  std::size_t itemsize = 1;
};

/// One codec, as both Zarr versions know it.
struct CodecRow {
  std::string_view name;          // for CodecChoice and messages: "zstd"
  std::string_view zarr2, zarr3;  // in .zarray and in zarr.json; "" where it may not stand
  std::uint64_t expansion_max;    // decoded bytes from one encoded byte, at most, rounded up to a power of 2
  std::unique_ptr<Codec> (*make)(const json::Value& configuration, std::size_t itemsize);  // kCorrupt for a bad configuration
  /// What `make` is given, and metadata says, where a save chose this codec. Null: it is only read.
  json::Object (*configuration)(int level, const CodecUse& use);

  std::string_view name_in(int zarr_format) const { return zarr_format == 2 ? zarr2 : zarr3; }
};
std::span<const CodecRow> codec_table();

/// That of the codec's row.
std::uint64_t expansion_max(const Codec& codec);

/// Makes the codec that metadata call `name`. Throws kInvalid "unknown codec 'x'", kCorrupt for a bad configuration.
std::unique_ptr<Codec> make_codec(std::string_view name, const json::Value& configuration, const CodecUse& use);

/// What metadata say of a codec.
struct CodecMetadata {
  std::string_view name;
  json::Value configuration;
};
/// Of one that a save chose. Throws kInvalid for one that is not written in this Zarr format, and for a level that it does not have.
CodecMetadata chosen_codec(const CodecChoice& choice, const CodecUse& use);

}  // namespace perdure::storage
