#include "perdure/base/buffer_pool.h"

#include <gmock/gmock.h>

#include <cstring>
#include <set>
#include <thread>

namespace perdure {
namespace {

constexpr std::size_t kHugePage = 2 << 20;

bool aligned(const void* memory, std::size_t alignment) { return reinterpret_cast<std::uintptr_t>(memory) % alignment == 0; }

TEST(BufferPool, GivesAlignedBuffersThatDoNotOverlap) {
  BufferPool pool(kHugePage, 2 * kHugePage);
  const auto a = pool.acquire();
  const auto b = pool.acquire();
  std::memset(a.span().data(), 'a', a.span().size());
  std::memset(b.span().data(), 'b', b.span().size());
  EXPECT_EQ(a.span().size(), pool.buffer_bytes());
  EXPECT_TRUE(aligned(a.span().data(), kHugePage));
  EXPECT_TRUE(aligned(b.span().data(), kHugePage));
  EXPECT_EQ(std::to_integer<char>(a.span().back()), 'a');
}

TEST(BufferPool, RecyclesBuffers) {
  BufferPool pool(kHugePage, 2 * kHugePage);
  std::set<void*> first;
  {
    const auto a = pool.acquire();
    const auto b = pool.acquire();
    first = {a.owner().get(), b.owner().get()};
  }
  const auto a = pool.acquire();
  const auto b = pool.acquire();
  EXPECT_EQ((std::set<void*>{a.owner().get(), b.owner().get()}), first);
}

TEST(BufferPool, BuffersMayOutliveIt) {
  BufferPool::Buffer buffer;
  {
    BufferPool pool(kHugePage, kHugePage);
    buffer = pool.acquire();
  }
  std::memset(buffer.span().data(), 1, buffer.span().size());
}

TEST(BufferPool, ServesManyThreads) {
  BufferPool pool(4096, 4 * kHugePage);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        const auto buffer = pool.acquire();
        std::memset(buffer.span().data(), i, 4096);
      }
    });
  }
}

TEST(AllocateResult, AlignsToCacheLinesAndLargeResultsToHugePages) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{100'000}, 2 * kHugePage - 1, 2 * kHugePage, 3 * kHugePage + 5}) {
    const auto memory = allocate_result(size);
    EXPECT_TRUE(aligned(memory.get(), size >= 2 * kHugePage ? kHugePage : 64)) << size;
    std::memset(memory.get(), 1, size);
  }
}

TEST(AllocateResult, RefusesWhatNoMachineHas) { EXPECT_THROW(allocate_result(SIZE_MAX - 5), std::bad_alloc); }

}  // namespace
}  // namespace perdure
