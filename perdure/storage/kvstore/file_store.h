#pragma once
// A directory as a store: keys are the paths of its files, with '/' between components.
//
// Lock files of other writers (*.__lock) are not keys. Links are listed and refused when read, unless they are followed;
// directories that are links are never walked.
#include <memory>
#include <string>

#include "perdure/storage/kvstore.h"

namespace perdure::storage {

/// Throws kNotFound if `path` is no directory. Keys that leave the directory are kInvalid.
std::unique_ptr<KvStore> open_file_store(const std::string& path, const KvStoreOptions& options);

}  // namespace perdure::storage
