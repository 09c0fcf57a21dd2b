// CRC-32C, and the copy that takes it on the way, as ratios to a memcpy of the same bytes in the same run.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include "perdure/base/checksum.h"
#include "perdure/base/checksum_portable.h"

namespace {

constexpr std::size_t kSize = 256 << 20;
constexpr int kRounds = 9;

double seconds_of(auto&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main() {
  std::vector<std::byte> source(kSize, std::byte{0x5a}), target(kSize);
  std::uint32_t crc = 0;
  double copy = 1e9, check = 1e9, both = 1e9, portable = 1e9;
  for (int round = 0; round < kRounds; ++round) {  // interleaved: a busy machine slows all of them
    copy = std::min(copy, seconds_of([&] { std::memcpy(target.data(), source.data(), kSize); }));
    check = std::min(check, seconds_of([&] { crc ^= perdure::crc32c(source); }));
    both = std::min(both, seconds_of([&] { crc ^= perdure::copy_and_crc32c(source, target); }));
    portable = std::min(portable, seconds_of([&] { crc ^= perdure::crc32c_portable(source, 0); }));
  }
  const auto report = [&](const char* name, double seconds) {
    std::printf("%-16s %6.2f GB/s  %5.2f x memcpy\n", name, kSize / seconds / 1e9, seconds / copy);
  };
  report("memcpy", copy);
  report("crc32c", check);
  report("copy_and_crc32c", both);
  report("crc32c_portable", portable);
  return crc == 1;  // keeps the sums alive
}
