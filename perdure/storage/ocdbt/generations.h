#pragma once
// From the files of a database to the root of one of its generations.
#include <cstdint>
#include <optional>

#include "perdure/storage/kvstore/file_set.h"
#include "perdure/storage/ocdbt/manifest.h"
#include "perdure/storage/ocdbt/node_store.h"

namespace perdure::storage::ocdbt {

/// The manifest with the latest generations, also where manifests are numbered. nullopt if there is no manifest.ocdbt. A database
/// that promises numbered manifests and has none gives a manifest without generations.
std::optional<Manifest> find_manifest(FileSet& files);

/// The root of `number`, or of the latest generation; nullopt if the generation has no keys. Throws kNotFound if there is no such
/// generation.
std::optional<NodeLocation> find_root(FileSet& files, const Manifest& manifest, std::optional<std::uint64_t> number);

}  // namespace perdure::storage::ocdbt
