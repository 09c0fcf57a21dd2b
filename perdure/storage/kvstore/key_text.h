#pragma once
// Keys in messages: any bytes may stand in a key, only text may stand in a message.
#include <string>
#include <string_view>

namespace perdure::storage {

/// The key in quotes; bytes that are not printable UTF-8 as \xNN.
std::string key_text(std::string_view key);

}  // namespace perdure::storage
