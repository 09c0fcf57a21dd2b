#pragma once
// What .zarray and zarr.json say about an array, checked, and their texts as we write them (formats: docs/design/zarr.md).
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/base/dtype.h"
#include "perdure/base/json.h"
#include "perdure/base/shape.h"
#include "perdure/storage/codec.h"

namespace perdure::storage::zarr {

/// Where the metadata of an array stands, below its name.
inline constexpr std::string_view kZarr2File = ".zarray", kZarr2AttributesFile = ".zattrs", kZarr3File = "zarr.json";
constexpr std::string_view metadata_file(int zarr_format) { return zarr_format == 2 ? kZarr2File : kZarr3File; }

struct ChunkCodecs;

/// sharding_indexed: a chunk that holds smaller chunks and an index.
struct Sharding {
  Shape chunk_shape;  // of an inner chunk; divides the outer
  std::shared_ptr<const ChunkCodecs> inner;
  std::shared_ptr<const ChunkCodecs> index;  // of the index array
  bool index_at_end = true;
};

/// How the elements of one chunk become bytes. Applied top to bottom when written.
struct ChunkCodecs {
  std::vector<std::size_t> transpose;  // stored axis i is array axis transpose[i]; empty: C order
  bool big_endian = false;
  std::optional<Sharding> sharding;                        // instead of plain elements
  std::vector<std::shared_ptr<const Codec>> bytes_codecs;  // in the order of writing

  /// True if a stored chunk is the elements in C order and machine order, plus at most a trailing crc32c.
  bool is_plain() const;
  bool has_crc32c() const;  // the last codec is crc32c
  /// Elements' bytes that one stored byte can be: a chunk that would have to expand more is refused before memory is taken for it.
  std::uint64_t expansion_max() const;
};

struct ArrayMetadata {
  int zarr_format = 3;  // 2 or 3
  Shape shape;
  DType dtype = DType::kUint8;
  Shape chunk_shape;
  ChunkCodecs codecs;
  std::vector<std::byte> fill_value;  // one element, machine order
  char separator = '/';
  bool v2_keys = false;  // "0.0" instead of "c/0/0"

  Shape grid() const;  // chunks along each axis
  /// Key of a chunk below the array's name: "c/0/1", "0.1"; rank 0: "c" or "0".
  std::string chunk_key(const Shape& chunk_index) const;
  std::uint64_t chunk_bytes() const;  // decoded size of a whole chunk; kInvalid on overflow
};

/// Throw kCorrupt naming the member that is wrong, kInvalid for a codec or feature that is not known.
ArrayMetadata parse_zarr2(std::string_view text);
/// `text` of .zarray with the .zattrs beside it ("" if none), which may name a private dtype.
ArrayMetadata parse_zarr2(std::string_view text, std::string_view attributes);
ArrayMetadata parse_zarr3(std::string_view text);

/// What we write: little-endian, in C order unless there is an `axis_order`.
struct WriteFormat {
  int zarr_format = 3;
  std::optional<CodecChoice> compression{};
  bool crc32c = true;                     // v3 only
  std::vector<std::size_t> axis_order{};  // as ChunkCodecs::transpose; in v2 none, or that of Fortran
  bool operator==(const WriteFormat&) const = default;
};
/// The metadata that metadata_text describes, without the way through JSON.
ArrayMetadata make_metadata(DType dtype, const Shape& shape, const Shape& chunk_shape, const WriteFormat& format);
/// Text of zarr.json or .zarray. Filled into a template, not through a JSON library: a leaf costs a microsecond.
std::string metadata_text(DType dtype, const Shape& shape, const Shape& chunk_shape, const WriteFormat& format);
/// Text of .zattrs for a dtype that Zarr does not know (v2 only); "" where none is needed.
std::string attributes_text(DType dtype, const WriteFormat& format);

}  // namespace perdure::storage::zarr
