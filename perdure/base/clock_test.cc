#include "perdure/base/clock.h"

#include <gmock/gmock.h>

#include <set>

namespace perdure {
namespace {

struct CountingRandom : Random {
  void fill(ByteSpan target) override {
    for (std::byte& value : target) value = static_cast<std::byte>(next++);
  }
  int next = 0xf8;
};

TEST(SystemClock, CountsNanosecondsOfThisCentury) {
  const std::uint64_t year_ns = 31'556'952'000'000'000;
  EXPECT_GT(system_clock().now_ns(), 50 * year_ns);
  EXPECT_LT(system_clock().now_ns(), 130 * year_ns);
}

TEST(RandomHexName, SpellsTheBytesInOrder) {
  CountingRandom random;
  EXPECT_EQ(random_hex_name(random), "f8f9fafbfcfdfeff0001020304050607");
}

TEST(RandomHexName, DoesNotRepeat) {
  std::set<std::string> names;
  for (int i = 0; i < 1000; ++i) names.insert(random_hex_name(system_random()));
  EXPECT_EQ(names.size(), 1000);
}

}  // namespace
}  // namespace perdure
