#pragma once
// Decoding of streams whose decoded size is only a claim: memory grows with what really comes out, and stops at a limit.
#include <cstddef>
#include <functional>
#include <string_view>

#include "perdure/base/bytes.h"

namespace perdure::storage {

/// Shortens `input` and `output` at the front by what it consumed and produced; true once the stream has ended.
/// A step that can do neither must throw or return true.
using DecodeStep = std::function<bool(ByteView& input, ByteSpan& output)>;

/// Runs `step` over `encoded` until the stream ends. Throws kCorrupt, prefixed by `codec`, when more than `decoded_size_max`
/// bytes come out, when the input ends early, and when bytes follow the end of the stream. `likely_size` (0 if not
/// known) is the size to begin with; it is not believed beyond what the encoded size makes likely.
Blob decode_stream(std::string_view codec, ByteView encoded, std::size_t decoded_size_max, std::size_t likely_size,
                   const DecodeStep& step);

/// "codec: problem" as a kCorrupt error.
[[noreturn]] void fail_decode(std::string_view codec, std::string_view problem);

/// For input that goes on after the end of the stream.
[[noreturn]] void fail_trailing(std::string_view codec, std::size_t trailing_bytes);
/// For output over a limit, as decode_stream says it.
[[noreturn]] void fail_size_over(std::string_view codec, std::size_t found, std::size_t decoded_size_max);
/// For output that is not as long as it must be.
[[noreturn]] void fail_decoded_size(std::string_view codec, std::size_t found, std::size_t expected);

}  // namespace perdure::storage
