#include "perdure/checkpoint/read/result_memory.h"

#include <gtest/gtest.h>

#include <cstring>

#include "perdure/base/error.h"
#include "tests/support/forwarding_file_system.h"
#include "tests/support/temporary_directory.h"

namespace perdure::checkpoint {
namespace {

TEST(ResultMemory, GivesEveryResultAlignedBytesOfItsOwn) {
  const std::vector<std::uint64_t> sizes = {1, 0, 100'000, 64, 65, 5 << 20, 7};
  const std::vector<ResultMemory> results = allocate_results(sizes, ~std::uint64_t{0});
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    ASSERT_NE(results[i].data, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(results[i].data) % 64, 0u);
    std::memset(results[i].data, static_cast<int>(i), sizes[i]);
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::uint64_t at = 0; at < sizes[i]; ++at) ASSERT_EQ(results[i].data[at], static_cast<std::byte>(i));
  }
}

TEST(ResultMemory, PutsSmallResultsTogetherAndLargeOnesAlone) {
  const std::vector<ResultMemory> results = allocate_results(std::vector<std::uint64_t>{8, 1 << 20, 8}, ~std::uint64_t{0});
  EXPECT_EQ(results[0].owner, results[2].owner);
  EXPECT_NE(results[0].owner, results[1].owner);
}

TEST(ResultMemory, OutgrowsASlab) {
  const std::vector<ResultMemory> results = allocate_results(std::vector<std::uint64_t>(1000, 60'000), ~std::uint64_t{0});
  for (const ResultMemory& result : results) std::memset(result.data, 1, 60'000);
  EXPECT_NE(results.front().owner, results.back().owner);
}

TEST(ResultMemory, RefusesMoreThanTheMachineHas) {
  EXPECT_THROW(allocate_results(std::vector<std::uint64_t>{std::uint64_t{1} << 62}, ~std::uint64_t{0}), Error);
  EXPECT_THROW(allocate_results(std::vector<std::uint64_t>(3, std::uint64_t{1} << 63), ~std::uint64_t{0}), Error);
}

struct SmallContainer : test::ForwardingFileSystem {
  SmallContainer() {
    write_new_file(posix, directory / "cgroup", as_bytes("0::/\n"));
    write_new_file(posix, directory / "memory.max", as_bytes("20000000\n"));
  }
  std::unique_ptr<File> open(const std::string& path, bool follow) override {
    return posix.open(directory / file_name(path), follow);
  }
  test::TemporaryDirectory directory;
};

TEST(ResultMemory, RefusesMoreThanTheControlGroupHas) {
  SmallContainer container;
  allocate_results(std::vector<std::uint64_t>{10'000'000, 9'999'999}, ~std::uint64_t{0}, container);
  EXPECT_THROW(allocate_results(std::vector<std::uint64_t>{10'000'000, 10'000'001}, ~std::uint64_t{0}, container), Error);
}

}  // namespace
}  // namespace perdure::checkpoint
