#include "perdure/base/memory_limit.h"

#include <gtest/gtest.h>

#include "tests/support/forwarding_file_system.h"
#include "tests/support/temporary_directory.h"

namespace perdure {
namespace {

constexpr char kV2[] = "/sys/fs/cgroup", kV1[] = "/sys/fs/cgroup/memory";

/// Another /proc and /sys, below a temporary directory.
class OtherKernel : public test::ForwardingFileSystem {
 public:
  OtherKernel(const std::string& groups) { put("/proc/self/cgroup", groups); }
  void put(const std::string& path, const std::string& text) {
    make_directories(posix, parent_path(directory_.path() + path));
    write_new_file(posix, directory_.path() + path, as_bytes(text));
  }
  std::unique_ptr<File> open(const std::string& path, bool follow) override {
    return posix.open(directory_.path() + path, follow);
  }

 private:
  test::TemporaryDirectory directory_;
};

std::uint64_t without_groups() {
  OtherKernel kernel("");
  return memory_bytes_max(kernel);
}

TEST(MemoryLimit, IsThatOfTheMachineWithoutGroups) {
  EXPECT_GT(without_groups(), 1u << 28);
  EXPECT_LE(memory_bytes_max(posix_file_system()), without_groups());
}

TEST(MemoryLimit, IsTheLeastOfAllGroupsAround) {
  OtherKernel kernel("0::/user.slice/job.scope\n");
  kernel.put(std::string(kV2) + "/user.slice/job.scope/memory.max", "max\n");
  EXPECT_EQ(memory_bytes_max(kernel), without_groups());
  kernel.put(std::string(kV2) + "/user.slice/memory.max", "1048576\n");
  EXPECT_EQ(memory_bytes_max(kernel), 1048576);
}

TEST(MemoryLimit, IsThatOfTheRootInAContainer) {
  for (const char* group : {"/", "/docker/0123", "/../../elsewhere"}) {
    OtherKernel kernel(std::string("0::") + group + "\n");
    kernel.put(std::string(kV2) + "/memory.max", "2097152\n");
    EXPECT_EQ(memory_bytes_max(kernel), 2097152) << group;
  }
}

TEST(MemoryLimit, IsFoundInTheMemoryGroupOfVersion1) {
  OtherKernel kernel("12:cpu,cpuacct:/job\n7:hugetlb,memory:/job\n1:name=systemd:/job\n");
  kernel.put(std::string(kV1) + "/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(memory_bytes_max(kernel), without_groups());
  kernel.put(std::string(kV1) + "/job/memory.limit_in_bytes", "4194304\n");
  EXPECT_EQ(memory_bytes_max(kernel), 4194304);
}

}  // namespace
}  // namespace perdure
