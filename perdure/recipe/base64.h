#pragma once
// Base 64 with padding, of the standard alphabet: how bytes stand in JSON.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/base/bytes.h"

namespace perdure::recipe {

std::string to_base64(ByteView bytes);
/// nullopt for what to_base64 does not write: other letters, missing padding, bits to spare.
std::optional<std::vector<std::byte>> from_base64(std::string_view text);

}  // namespace perdure::recipe
