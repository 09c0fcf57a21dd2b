#pragma once
// The first part of every manifest: which database this is and how a writer should go on. A reader needs the uuid, the kind and
// the arity only.
#include <array>
#include <cstdint>

#include "perdure/base/byte_io.h"

namespace perdure::storage::ocdbt {

enum ManifestKind : std::uint64_t { kSingleManifest = 0, kNumberedManifests = 1 };
enum Compression : std::uint64_t { kNoCompression = 0, kZstdCompression = 1 };

struct Config {
  std::array<std::uint8_t, 16> uuid{};
  std::uint64_t manifest_kind = kSingleManifest;
  std::uint64_t max_inline_value_bytes = 1024;
  std::uint64_t max_decoded_node_bytes = 100'000'000;
  std::uint8_t version_tree_arity_log2 = 4;
  std::uint64_t compression = kZstdCompression;
  std::int32_t zstd_level = 0;  // for writers that go on: the library's default
  bool operator==(const Config&) const = default;
};

template <class Io, class C>
void config(Io& io, C& config) {
  for (auto& byte : config.uuid) io.u8(byte);
  io.varint(config.manifest_kind);
  io.varint(config.max_inline_value_bytes);
  io.varint(config.max_decoded_node_bytes);
  io.u8(config.version_tree_arity_log2);
  io.varint(config.compression);
  if (config.compression == kZstdCompression) io.i32le(config.zstd_level);
}

/// Throws kCorrupt naming the member that is out of range.
void check(const Config& config);

}  // namespace perdure::storage::ocdbt
