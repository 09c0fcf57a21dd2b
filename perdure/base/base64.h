#pragma once
// Base 64 with padding: how bytes stand in JSON.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/base/bytes.h"

namespace perdure {

std::string to_base64(ByteView bytes);
/// The same with "-" and "_" for "+" and "/".
std::string to_base64_url(ByteView bytes);
/// nullopt for what to_base64 does not write: other letters, missing padding, bits to spare.
std::optional<std::vector<std::byte>> from_base64(std::string_view text);

}  // namespace perdure
