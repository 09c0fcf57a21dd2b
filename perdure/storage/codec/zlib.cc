#include "perdure/storage/codec/zlib.h"

#include "perdure/storage/codec/deflate.h"

namespace perdure::storage {

std::unique_ptr<Codec> make_zlib(const json::Value& configuration, std::size_t) {
  return make_deflate("zlib", DeflateWrapper::kZlib, configuration);
}

}  // namespace perdure::storage
