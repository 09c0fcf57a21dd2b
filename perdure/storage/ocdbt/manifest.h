#pragma once
// manifest.ocdbt: configuration and generations of a database.
//
// Of a database with numbered manifests it holds the configuration only, and the file manifest.%016x of the greatest number holds
// the generations.
#include <string>
#include <vector>

#include "perdure/storage/ocdbt/config.h"
#include "perdure/storage/ocdbt/data_file_table.h"
#include "perdure/storage/ocdbt/version_tree.h"

namespace perdure::storage::ocdbt {

/// Its name in the directory of the database.
inline constexpr std::string_view kManifestFile = "manifest.ocdbt";

struct Manifest {
  Config config;
  // Only of kSingleManifest:
  DataFileTable files;
  std::vector<Generation> generations;              // the latest ones, ascending
  std::vector<VersionNodeReference> version_nodes;  // the older ones, by descending height
  bool operator==(const Manifest&) const = default;
};

template <class Io, class M>
void manifest(Io& io, M& manifest) {
  config(io, manifest.config);
  if (manifest.config.manifest_kind != kSingleManifest) return;
  data_file_table(io, manifest.files);
  generation_columns(io, manifest.generations);
  version_node_reference_columns(io, manifest.version_nodes);
  for (auto& node : manifest.version_nodes) io.u8(node.height);
}

/// The envelope of a manifest; decode throws kCorrupt for whatever is wrong with it.
Manifest decode_manifest(const Blob& envelope);
std::string encode_manifest(const Manifest& manifest, bool compress);

}  // namespace perdure::storage::ocdbt
