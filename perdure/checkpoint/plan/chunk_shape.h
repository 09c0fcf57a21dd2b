#pragma once
// How an array is cut into chunks: along axis 0 as far as possible, evenly, and at page boundaries where the shape allows.
//
// Then foreign slices stay cheap, little is padded (every stored chunk is full), and the payloads of neighbouring chunks
// can be mapped back to back.
#include <cstdint>
#include <vector>

#include "perdure/base/shape.h"

namespace perdure::checkpoint {

inline constexpr std::uint64_t kPageBytes = 4096;

/// The most of `extent` rows, at most `rows_max`, that divide them evenly; 0 if that would be less than 1/64 of what may be.
std::uint64_t divide_evenly(std::uint64_t extent, std::uint64_t rows_max);

/// `piece`: the shape of what one device holds, `shape` itself if nothing is sharded; chunks avoid to cross its borders. A chunk has at
/// most `chunk_bytes_max` unless a single element has more. Extents are at least 1.
Shape choose_chunk_shape(const Shape& shape, const Shape& piece, std::uint64_t itemsize, std::uint64_t chunk_bytes_max);

/// As Orbax's chunk_byte_size: `piece` with its largest axis made smaller, divisor by divisor, until a chunk has at most
/// `chunk_bytes_max`; axes along which the array is sharded before the others. `shard_axes` become 1 at once (kInvalid for
/// one that is not there). Where an axis has no divisors (a prime) and chunks would have less than 1/64 of that: choose_chunk_shape.
Shape divide_chunk_shape(const Shape& shape, const Shape& piece, std::uint64_t itemsize, std::uint64_t chunk_bytes_max,
                         const std::vector<std::uint64_t>& shard_axes);

}  // namespace perdure::checkpoint
