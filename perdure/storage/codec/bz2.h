#pragma once
// bz2: exactly one bzip2 stream. Zarr v2 only.
#include <cstddef>
#include <memory>

#include "perdure/storage/codec.h"

namespace perdure::storage {

std::unique_ptr<Codec> make_bz2(const json::Value& configuration, std::size_t itemsize);

}  // namespace perdure::storage
