#include "perdure/storage/codec.h"

#include <algorithm>

#include "perdure/storage/codec/bounded_stream.h"

namespace perdure::storage {

void Codec::decode_into(const Blob& encoded, ByteSpan target) const {
  const Blob decoded = decode(encoded, target.size());
  if (decoded.size() != target.size()) fail_decoded_size(name(), decoded.size(), target.size());
  std::ranges::copy(decoded.view(), target.begin());
}

}  // namespace perdure::storage
