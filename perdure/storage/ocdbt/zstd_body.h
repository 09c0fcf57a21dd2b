#pragma once
// Bodies of envelopes as zstd frames: exactly one frame, and no more memory than the limits of envelope.h allow.
#include <string>
#include <string_view>

#include "perdure/base/bytes.h"

namespace perdure::storage::ocdbt {

/// Throws kCorrupt for anything but one whole frame, and for one that decodes to more than the limit.
Blob decompress_body(ByteView compressed);
std::string compress_body(std::string_view body);

}  // namespace perdure::storage::ocdbt
