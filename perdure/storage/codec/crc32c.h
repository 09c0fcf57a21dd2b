#pragma once
// crc32c: four bytes after the chunk, CRC-32C of all before, little-endian.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "perdure/storage/codec.h"

namespace perdure::storage {

constexpr std::size_t kCrc32cBytes = 4;

std::uint32_t read_crc32c(std::span<const std::byte, kCrc32cBytes> bytes);

std::unique_ptr<Codec> make_crc32c(const json::Value& configuration, std::size_t itemsize);

}  // namespace perdure::storage
