#pragma once
// Reading an OCDBT database as a store (formats: docs/design/ocdbt.md).
//
// Accepted is what any writer may have written: both manifest kinds, every arity and height, compressed and plain nodes, nodes
// and values anywhere below the root of the database. Refused is whatever leaves that root or contradicts itself; a data file
// that is missing is an error that names it, where other readers see an empty value.
//
// A node is read when a key below it is asked for, decoded once and kept; list() decodes all that it lists.
#include <memory>
#include <string>

#include "perdure/storage/kvstore.h"

namespace perdure::storage::ocdbt {

/// Throws kNotFound if there is no manifest, or no such generation. Errors of the store name key, file and offset.
std::unique_ptr<KvStore> open_database(const std::string& path, const KvStoreOptions& options);

}  // namespace perdure::storage::ocdbt
