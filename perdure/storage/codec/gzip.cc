#include "perdure/storage/codec/gzip.h"

#include "perdure/storage/codec/deflate.h"

namespace perdure::storage {

std::unique_ptr<Codec> make_gzip(const json::Value& configuration, std::size_t) {
  return make_deflate("gzip", DeflateWrapper::kGzip, configuration);
}

}  // namespace perdure::storage
