#pragma once
// CRC-32C (Castagnoli, as in iSCSI and the crc32c codec of Zarr; check value of "123456789" is 0xe3069283).
#include <array>
#include <cstdint>

#include "perdure/base/bytes.h"

namespace perdure {

/// CRC of `bytes` appended to bytes whose CRC is `crc` (0 for none).
std::uint32_t crc32c(ByteView bytes, std::uint32_t crc = 0);

/// CRC of two byte strings put together, from the CRC of each and the length of the second (bytes).
std::uint32_t crc32c_combine(std::uint32_t first, std::uint32_t second, std::uint64_t second_size);

/// CRC of the second of two byte strings, from that of the first, that of both put together, and the length of the second (bytes).
std::uint32_t crc32c_behind(std::uint32_t first, std::uint32_t both, std::uint64_t second_size);

/// Copies `source` to `target` (equal sizes) in steps that stay in cache, and returns crc32c(target, crc): the CRC of
/// exactly what was written, also when another thread changes `source` meanwhile.
std::uint32_t copy_and_crc32c(ByteView source, ByteSpan target, std::uint32_t crc = 0);

/// A CRC as it is stored: little-endian.
inline constexpr std::size_t kCrc32cBytes = 4;
std::array<std::byte, kCrc32cBytes> crc32c_bytes(std::uint32_t crc);
/// From the last four bytes; there must be as many.
std::uint32_t trailing_crc32c(ByteView bytes);

/// Throws kCorrupt "crc32c: stored 0x..., computed 0x..." unless they are equal.
void check_crc32c(std::uint32_t stored, std::uint32_t computed);

}  // namespace perdure
