#include "perdure/storage/ocdbt/config.h"

#include <string>

#include "perdure/base/error.h"

namespace perdure::storage::ocdbt {
namespace {

void check_range(const char* name, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (value >= least && value <= most) return;
  throw Error(ErrorKind::kCorrupt, std::string(name) + " is " + std::to_string(value) + ", expected " + std::to_string(least) +
                                       " to " + std::to_string(most));
}

}  // namespace

void check(const Config& config) {
  check_range("manifest_kind", config.manifest_kind, kSingleManifest, kNumberedManifests);
  check_range("max_decoded_node_bytes", config.max_decoded_node_bytes, 0, 0xffff'ffff);
  check_range("version_tree_arity_log2", config.version_tree_arity_log2, 1, 16);
  check_range("compression", config.compression, kNoCompression, kZstdCompression);
}

}  // namespace perdure::storage::ocdbt
