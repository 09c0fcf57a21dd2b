#pragma once
// CRC-32C in plain C++: what crc32c() does where ISA-L is missing, and what its test compares with. Not installed.
#include <cstdint>

#include "perdure/base/bytes.h"

namespace perdure {

std::uint32_t crc32c_portable(ByteView bytes, std::uint32_t crc);

}  // namespace perdure
