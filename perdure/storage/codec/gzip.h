#pragma once
// gzip: a deflate stream with the header and CRC of RFC 1952; exactly one member.
#include <cstddef>
#include <memory>

#include "perdure/storage/codec.h"

namespace perdure::storage {

std::unique_ptr<Codec> make_gzip(const json::Value& configuration, std::size_t itemsize);

}  // namespace perdure::storage
