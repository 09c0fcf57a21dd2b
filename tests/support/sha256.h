#pragma once
// SHA-256 (FIPS 180-4), for comparing values with the hashes in the fixtures.
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "perdure/base/bytes.h"

namespace perdure::test {

class Sha256 {
 public:
  void update(ByteView bytes) {
    size_bytes_ += bytes.size();
    for (const std::byte byte : bytes) push(static_cast<std::uint8_t>(byte));
  }

  /// 64 lowercase hex digits. Ends the hash.
  std::string hex() {
    const std::uint64_t bits = size_bytes_ * 8;
    push(0x80);
    while (filled_ != 56) push(0);
    for (int shift = 56; shift >= 0; shift -= 8) push(static_cast<std::uint8_t>(bits >> shift));
    std::string text;
    for (const std::uint32_t word : state_) {
      for (int shift = 28; shift >= 0; shift -= 4) text.push_back("0123456789abcdef"[(word >> shift) & 15]);
    }
    return text;
  }

 private:
  using Constants = std::array<std::uint32_t, 64>;

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  static const Constants& constants() {
    static const Constants table = [] {
      Constants made{};
      std::size_t count = 0;
      for (std::uint32_t candidate = 2; count < made.size(); ++candidate) {
        bool prime = true;
        for (std::uint32_t d = 2; d * d <= candidate; ++d) prime = prime && candidate % d != 0;
        if (!prime) continue;
        const long double root = std::cbrt(static_cast<long double>(candidate));
        made[count++] = static_cast<std::uint32_t>((root - std::floor(root)) * 4294967296.0L);
      }
      return made;
    }();
    return table;
  }

  void push(std::uint8_t byte) {
    block_[filled_++] = byte;
    if (filled_ == block_.size()) mix_block();
  }

  void mix_block() {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 64; ++i)
      w[i] = i < 16 ? word(i) : sigma(w[i - 2], 17, 19, 10) + w[i - 7] + sigma(w[i - 15], 7, 18, 3) + w[i - 16];
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t t1 = h + sum(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + constants()[i] + w[i];
      const std::uint32_t t2 = sum(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    const std::array<std::uint32_t, 8> mixed = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state_[i] += mixed[i];
    filled_ = 0;
  }

  std::uint32_t word(std::size_t i) const {
    return std::uint32_t{block_[4 * i]} << 24 | std::uint32_t{block_[4 * i + 1]} << 16 | std::uint32_t{block_[4 * i + 2]} << 8 |
           block_[4 * i + 3];
  }
  static std::uint32_t sigma(std::uint32_t x, int r1, int r2, int shift) {
    return std::rotr(x, r1) ^ std::rotr(x, r2) ^ (x >> shift);
  }
  static std::uint32_t sum(std::uint32_t x, int r1, int r2, int r3) {
    return std::rotr(x, r1) ^ std::rotr(x, r2) ^ std::rotr(x, r3);
  }

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block_{};
  std::size_t filled_ = 0;
  std::uint64_t size_bytes_ = 0;
};

inline std::string sha256_hex(ByteView bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace perdure::test
