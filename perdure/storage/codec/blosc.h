#pragma once
// blosc: one buffer of Blosc 1 (not 2), which names its own compressor, shuffle and sizes.
#include <cstddef>
#include <memory>

#include "perdure/storage/codec.h"

namespace perdure::storage {

std::unique_ptr<Codec> make_blosc(const json::Value& configuration, std::size_t itemsize);

}  // namespace perdure::storage
