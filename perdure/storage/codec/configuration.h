#pragma once
// What codecs read from their configuration: the object in zarr.json, or the compressor itself in .zarray. Keys that a codec
// does not ask for are ignored: they steer encoders of other libraries.
#include <string_view>

#include "perdure/base/json.h"

namespace perdure::storage {

/// The integer member `key`, or `otherwise` if there is none (or no configuration at all). Throws kCorrupt when it is not in
/// [low, high].
int configured_int(const json::Value& configuration, std::string_view key, int low, int high, int otherwise);

/// The member `key`, or nullptr. Throws kCorrupt for a configuration that is neither null nor an object.
const json::Value* find_configured(const json::Value& configuration, std::string_view key);

}  // namespace perdure::storage
