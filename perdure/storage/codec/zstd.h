#pragma once
// zstd: exactly one frame. Its content size may be absent.
#include <cstddef>
#include <memory>

#include "perdure/storage/codec.h"

namespace perdure::storage {

std::unique_ptr<Codec> make_zstd(const json::Value& configuration, std::size_t itemsize);
json::Object zstd_configuration(int level, const CodecUse& use);
/// For writers that have no configuration to parse.
std::unique_ptr<Codec> make_zstd(int level, bool checksum = false);

}  // namespace perdure::storage
