#include "perdure/storage/ocdbt/manifest.h"

#include "perdure/storage/ocdbt/envelope.h"

namespace perdure::storage::ocdbt {
namespace {

/// The manifest keeps only generations of the last, still open group of 2^arity_log2.
void check_open_group(const Manifest& manifest) {
  const std::uint64_t arity = std::uint64_t{1} << manifest.config.version_tree_arity_log2;
  const std::uint64_t last = manifest.generations.back().number;
  if (manifest.generations.size() <= (last - 1) % arity + 1) return;
  throw Error(ErrorKind::kCorrupt, std::to_string(manifest.generations.size()) + " generations up to " + std::to_string(last) +
                                       " in a manifest of arity " + std::to_string(arity));
}

void check_version_nodes(const Manifest& manifest) {
  check(manifest.version_nodes, manifest.files);
  // A node of height h stands for 2^(arity_log2 * (h + 1)) generation numbers of 64 bits.
  unsigned height_end = 64u / manifest.config.version_tree_arity_log2 + 1;
  for (const VersionNodeReference& node : manifest.version_nodes) {
    if (node.height == 0 || node.height >= height_end) {
      throw Error(ErrorKind::kCorrupt,
                  "version node of height " + std::to_string(node.height) + ", expected 1 to " + std::to_string(height_end - 1));
    }
    height_end = node.height;
  }
}

void check(const Manifest& manifest) {
  check(manifest.config);
  if (manifest.config.manifest_kind != kSingleManifest) return;
  check(manifest.files);
  check(manifest.generations, manifest.files);
  check_open_group(manifest);
  check_version_nodes(manifest);
}

}  // namespace

Manifest decode_manifest(const Blob& envelope) {
  const Blob body = open_envelope(envelope, Magic::kManifest);
  return with_note([] { return std::string("manifest"); },
                   [&] {
                     ByteReader io(body);
                     Manifest decoded;
                     manifest(io, decoded);
                     check(decoded);
                     io.expect_end();
                     return decoded;
                   });
}

std::string encode_manifest(const Manifest& decoded, bool compress) {
  ByteWriter io;
  manifest(io, decoded);
  return seal_envelope(io.str(), Magic::kManifest, compress);
}

}  // namespace perdure::storage::ocdbt
