#pragma once
// Time and randomness, so that tests can choose them.
#include <cstdint>
#include <string>

#include "perdure/base/bytes.h"

namespace perdure {

class Clock {
 public:
  virtual ~Clock() = default;
  /// Nanoseconds since 1970-01-01 UTC.
  virtual std::uint64_t now_ns() = 0;
};
Clock& system_clock();

class Random {
 public:
  virtual ~Random() = default;
  virtual void fill(ByteSpan target) = 0;
};
/// getrandom(2): names and ids that two processes never share.
Random& system_random();

/// 32 lowercase hex digits of 128 random bits: names of data files.
std::string random_hex_name(Random& random);

}  // namespace perdure
