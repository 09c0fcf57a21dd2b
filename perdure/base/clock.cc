#include "perdure/base/clock.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <chrono>

#include "perdure/base/error.h"
#include "perdure/base/hex.h"
#include "perdure/base/immortal.h"

namespace perdure {
namespace {

class SystemClock : public Clock {
 public:
  std::uint64_t now_ns() override {
    const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since_1970).count());
  }
};

class SystemRandom : public Random {
 public:
  void fill(ByteSpan target) override {
    while (!target.empty()) {
      const ssize_t got = ::getrandom(target.data(), target.size(), 0);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw io_error("cannot read", "getrandom", errno);
      target = target.subspan(static_cast<std::size_t>(got));
    }
  }
};

}  // namespace

Clock& system_clock() {
  static auto& clock = make_immortal<SystemClock>();
  return clock;
}

Random& system_random() {
  static auto& random = make_immortal<SystemRandom>();
  return random;
}

std::string random_hex_name(Random& random) {
  std::array<std::byte, 128 / 8> bits;
  random.fill(bits);
  std::string name;
  for (const std::byte bits8 : bits) append_hex(name, std::to_integer<unsigned>(bits8), 2);
  return name;
}

}  // namespace perdure
