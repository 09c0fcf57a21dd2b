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
  virtual std::string_view name() const = 0;  // as in zarr.json: "zstd"
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

/// How a save compresses: a codec of the table, and how hard it tries, as the codec's library counts.
struct CodecChoice {
  std::string name = "zstd";
  int level = 1;
  bool operator==(const CodecChoice&) const = default;
};

/// One codec, as both Zarr versions know it.
struct CodecRow {
  std::string_view name;        // "zstd"
  bool zarr2, zarr3;            // may stand in .zarray / in zarr.json
  std::uint64_t expansion_max;  // decoded bytes from one encoded byte, at most, in powers of 2
  std::unique_ptr<Codec> (*make)(const json::Value& configuration, std::size_t itemsize);  // kCorrupt for a bad configuration
  /// What `make` is given, and metadata says, where a save chose this codec. Null: it is only read.
  json::Object (*configuration)(int level, int zarr_format);
};
std::span<const CodecRow> codec_table();

/// The largest of the table: a stored chunk that would have to expand more is refused before memory is allocated for it.
std::uint64_t expansion_max();

/// Makes the codec `name` for `zarr_format` (2 or 3). Throws kInvalid "unknown codec 'x'".
std::unique_ptr<Codec> make_codec(std::string_view name, const json::Value& configuration, int zarr_format, std::size_t itemsize);

/// The configuration of a codec that a save chose. Throws kInvalid for one that is not written in this Zarr format, and for a
/// level that it does not have.
json::Object chosen_configuration(const CodecChoice& choice, int zarr_format);

}  // namespace perdure::storage
