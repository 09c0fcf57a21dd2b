#include "perdure/base/checksum_portable.h"

#include <array>

namespace perdure {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // Castagnoli, lowest power in the highest bit
constexpr std::size_t kSlices = 8;

using SliceTable = std::array<std::array<std::uint32_t, 256>, kSlices>;

// table[s][b]: what byte b contributes when s more bytes follow it.
constexpr SliceTable make_slice_table() {
  SliceTable table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? kPolynomial : 0);
    table[0][byte] = crc;
  }
  for (std::size_t slice = 1; slice < kSlices; ++slice) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = table[slice - 1][byte];
      table[slice][byte] = before >> 8 ^ table[0][before & 0xff];
    }
  }
  return table;
}
constexpr SliceTable kSliceTable = make_slice_table();

}  // namespace

std::uint32_t crc32c_portable(ByteView bytes, std::uint32_t crc) {
  crc = ~crc;
  for (; bytes.size() >= kSlices; bytes = bytes.subspan(kSlices)) {
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < kSlices; ++i) {
      const std::uint32_t mixed = std::to_integer<std::uint32_t>(bytes[i]) ^ (i < 4 ? crc >> (8 * i) & 0xff : 0);
      next ^= kSliceTable[kSlices - 1 - i][mixed];
    }
    crc = next;
  }
  for (const std::byte byte : bytes) crc = crc >> 8 ^ kSliceTable[0][(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xff];
  return ~crc;
}

}  // namespace perdure
