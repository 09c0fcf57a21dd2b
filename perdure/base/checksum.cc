#include "perdure/base/checksum.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "perdure/base/checksum_portable.h"
#include "perdure/base/error.h"
#include "perdure/base/hex.h"
#ifdef PERDURE_HAS_ISAL
#include <isa-l/crc.h>
#endif

namespace perdure {
namespace {

// Polynomials over GF(2) modulo Castagnoli's, the coefficient of x^0 in the highest bit, as CRC-32C has them.
constexpr std::uint32_t kPolynomial = 0x82f63b78;
constexpr std::uint32_t kOne = 0x80000000;
constexpr std::uint32_t kX8 = kOne >> 8;  // x^8: one more byte

constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (; a != 0; a <<= 1) {
    if (a & kOne) product ^= b;
    b = b >> 1 ^ (b & 1 ? kPolynomial : 0);
  }
  return product;
}

// x^(8 * 2^k): 2^k more bytes.
constexpr auto kPowers = [] {
  std::array<std::uint32_t, 64> powers{kX8};
  for (std::size_t k = 1; k < powers.size(); ++k) powers[k] = multiply(powers[k - 1], powers[k - 1]);
  return powers;
}();

constexpr std::size_t kCopyStep = 32 << 10;  // what was copied is still in a near cache when its CRC is taken

}  // namespace

std::uint32_t crc32c(ByteView bytes, std::uint32_t crc) {
#ifdef PERDURE_HAS_ISAL
  constexpr std::size_t kIsalSizeMax = 1 << 30;  // it takes an int
  while (!bytes.empty()) {
    const ByteView part = bytes.first(std::min(bytes.size(), kIsalSizeMax));
    auto* data = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(part.data()));
    crc = ~crc32_iscsi(data, static_cast<int>(part.size()), ~crc);
    bytes = bytes.subspan(part.size());
  }
  return crc;
#else
  return crc32c_portable(bytes, crc);
#endif
}

std::uint32_t crc32c_combine(std::uint32_t first, std::uint32_t second, std::uint64_t second_size) {
  std::uint32_t shift = kOne;
  for (const std::uint32_t* power = kPowers.data(); second_size != 0; second_size >>= 1, ++power) {
    if (second_size & 1) shift = multiply(shift, *power);
  }
  return multiply(shift, first) ^ second;
}

std::uint32_t crc32c_behind(std::uint32_t first, std::uint32_t both, std::uint64_t second_size) {
  return crc32c_combine(first, both, second_size);
}

void check_crc32c(std::uint32_t stored, std::uint32_t computed) {
  if (stored != computed) throw Error(ErrorKind::kCorrupt, "crc32c: stored " + hex(stored) + ", computed " + hex(computed));
}

std::uint32_t copy_and_crc32c(ByteView source, ByteSpan target, std::uint32_t crc) {
  for (std::size_t offset = 0; offset < source.size(); offset += kCopyStep) {
    const std::size_t size = std::min(kCopyStep, source.size() - offset);
    std::memcpy(target.data() + offset, source.data() + offset, size);
    crc = crc32c(target.subspan(offset, size), crc);
  }
  return crc;
}

std::array<std::byte, kCrc32cBytes> crc32c_bytes(std::uint32_t crc) {
  std::array<std::byte, kCrc32cBytes> bytes;
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(crc);
    crc >>= 8;
  }
  return bytes;
}

std::uint32_t trailing_crc32c(ByteView bytes) {
  std::uint32_t crc = 0;
  for (std::size_t i = 1; i <= kCrc32cBytes; ++i) crc = crc << 8 | std::to_integer<std::uint32_t>(bytes[bytes.size() - i]);
  return crc;
}

}  // namespace perdure
