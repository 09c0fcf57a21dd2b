#pragma once
// The deflate stream below both gzip and zlib; they differ in what stands around it.
#include <memory>
#include <string_view>

#include "perdure/storage/codec.h"

namespace perdure::storage {

enum class DeflateWrapper { kZlib, kGzip };

/// A codec that is called `name`.
std::unique_ptr<Codec> make_deflate(std::string_view name, DeflateWrapper wrapper, const json::Value& configuration);

}  // namespace perdure::storage
