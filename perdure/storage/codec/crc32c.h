#pragma once
// crc32c: four bytes after the chunk, CRC-32C of all before, little-endian.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "perdure/storage/codec.h"

namespace perdure::storage {

std::unique_ptr<Codec> make_crc32c(const json::Value& configuration, std::size_t itemsize);

}  // namespace perdure::storage
