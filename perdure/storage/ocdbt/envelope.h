#pragma once
// The frame around every structure of an OCDBT database: magic, length, version, compression, body, CRC-32C.
#include <cstdint>
#include <string>
#include <string_view>

#include "perdure/base/bytes.h"

namespace perdure::storage::ocdbt {

enum class Magic : std::uint32_t {
  kManifest = 0x0cdb3a2a,
  kVersionNode = 0x0cdb1234,
  kBtreeNode = 0x0cdb20de,
};

/// "manifest", "version node", "B+tree node".
std::string_view magic_name(Magic magic);

/// A body larger than this is not read: writers keep nodes near 100 MB, and the decoded rows cost several times the body.
inline constexpr std::uint64_t kBodyBytesMax = 256 << 20;
/// A compressed body may grow by this factor beyond kBodyBytesFree. Real leaves reach 150; a zstd bomb 30,000.
inline constexpr std::uint64_t kBodyRatioMax = 1024;
inline constexpr std::uint64_t kBodyBytesFree = 16 << 20;

/// Throws kCorrupt for what is too large to be an envelope: before anybody takes memory for it.
void check_envelope_size(std::uint64_t size_bytes);

/// Checks the frame and gives the decoded body, which shares the memory of `envelope` if it is not compressed.
/// Throws kCorrupt: wrong magic, length, checksum, version or compression, not exactly one zstd frame, too large.
Blob open_envelope(const Blob& envelope, Magic magic);

/// The envelope of a body; one zstd frame if `compress`.
std::string seal_envelope(std::string_view body, Magic magic, bool compress);

}  // namespace perdure::storage::ocdbt
