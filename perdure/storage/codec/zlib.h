#pragma once
// zlib: a deflate stream with the header and Adler-32 of RFC 1950. Zarr v2 only.
#include <cstddef>
#include <memory>

#include "perdure/storage/codec.h"

namespace perdure::storage {

std::unique_ptr<Codec> make_zlib(const json::Value& configuration, std::size_t itemsize);

}  // namespace perdure::storage
