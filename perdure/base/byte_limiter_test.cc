#include "perdure/base/byte_limiter.h"

#include <gmock/gmock.h>

#include <atomic>
#include <optional>
#include <thread>

#include "perdure/base/error.h"

namespace perdure {
namespace {

TEST(ByteLimiter, CountsWhatIsInFlight) {
  ByteLimiter limiter(10);
  auto a = limiter.acquire(4);
  {
    const auto b = limiter.acquire(6);
    EXPECT_EQ(limiter.bytes_in_flight(), 10);
  }
  EXPECT_EQ(limiter.bytes_in_flight(), 4);
  a.release();
  a.release();
  EXPECT_EQ(limiter.bytes_in_flight(), 0);
}

TEST(ByteLimiter, MovedPermitsGiveTheirBytesBackOnce) {
  ByteLimiter limiter(10);
  auto a = limiter.acquire(3);
  ByteLimiter::Permit b = std::move(a);
  a = limiter.acquire(4);
  b = std::move(a);
  EXPECT_EQ(limiter.bytes_in_flight(), 4);
  b = ByteLimiter::Permit();
  EXPECT_EQ(limiter.bytes_in_flight(), 0);
}

TEST(ByteLimiter, RefusesWhatCanNeverFit) {
  ByteLimiter limiter(10);
  try {
    limiter.acquire(11);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInvalid);
    EXPECT_EQ(error.message(), "cannot have 11 bytes in flight: the limit is 10");
  }
  EXPECT_THROW(ByteLimiter(0), Error);
}

TEST(ByteLimiter, NeverLetsMoreThanTheLimitThrough) {
  ByteLimiter limiter(100);
  std::atomic<std::uint64_t> held{0};
  std::atomic<bool> exceeded{false};
  std::vector<std::jthread> threads;
  for (std::uint64_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 200; ++i) {
        const std::uint64_t bytes = (t * 31 + i * 17) % 101;
        const auto permit = limiter.acquire(bytes);
        if ((held += bytes) > 100) exceeded = true;
        held -= bytes;
      }
    });
  }
  threads.clear();
  EXPECT_FALSE(exceeded);
  EXPECT_EQ(limiter.bytes_in_flight(), 0);
}

TEST(ByteLimiter, ServesALargeOneBeforeSmallOnesThatCameLater) {
  ByteLimiter limiter(10);
  std::optional<ByteLimiter::Permit> first = limiter.acquire(5);
  std::atomic<int> served{0};
  int large_place = 0;
  int small_place = 0;
  std::jthread large([&] {
    const auto permit = limiter.acquire(10);
    large_place = ++served;
  });
  while (limiter.waiting_count() < 1) std::this_thread::yield();
  std::jthread small([&] {
    const auto permit = limiter.acquire(1);  // would fit beside `first`
    small_place = ++served;
  });
  while (limiter.waiting_count() < 2) std::this_thread::yield();
  EXPECT_EQ(served, 0);
  first.reset();
  large.join();
  small.join();
  EXPECT_LT(large_place, small_place);
}

TEST(ByteLimiter, GrantsARequestAtOnceOrWhenBytesComeBack) {
  ByteLimiter limiter(10);
  int granted = 0;
  EXPECT_EQ(limiter.request(6, [&] { ++granted; }), std::nullopt);
  EXPECT_TRUE(limiter.request(5, [&] { ++granted; }));
  EXPECT_EQ(granted, 0);
  limiter.release(6);
  EXPECT_EQ(granted, 1);
  EXPECT_EQ(limiter.bytes_in_flight(), 5);
}

TEST(ByteLimiter, ServesRequestsAndThreadsInOneQueue) {
  ByteLimiter limiter(10);
  auto all = limiter.acquire(10);
  bool granted = false;
  EXPECT_TRUE(limiter.request(8, [&] { granted = true; }));
  std::jthread second([&] { limiter.acquire(8); });
  while (limiter.waiting_count() < 2) std::this_thread::yield();
  all.release();
  EXPECT_TRUE(granted);
  EXPECT_EQ(limiter.waiting_count(), 1);
  limiter.release(8);
  second.join();
  EXPECT_EQ(limiter.bytes_in_flight(), 0);
}

TEST(ByteLimiter, ACancelledRequestLetsTheNextOneThrough) {
  ByteLimiter limiter(10);
  limiter.request(4, [] {});
  bool granted = false;
  const auto large = limiter.request(10, [] { FAIL() << "it was cancelled"; });
  limiter.request(6, [&] { granted = true; });
  EXPECT_TRUE(limiter.cancel(*large));
  EXPECT_TRUE(granted);
  EXPECT_FALSE(limiter.cancel(*large));
}

TEST(ByteLimiter, RefusesToTakeBackMoreThanIsInFlight) {
  ByteLimiter limiter(10);
  limiter.request(4, [] {});
  EXPECT_THROW(limiter.release(5), Error);
  EXPECT_EQ(limiter.bytes_in_flight(), 4);
}

}  // namespace
}  // namespace perdure
