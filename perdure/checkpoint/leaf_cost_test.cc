// What one small leaf more costs: allocations and reads, counted. Of 20,000 leaves each is milliseconds.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/save.h"
#include "tests/support/forwarding_file_system.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/trees.h"

namespace {
std::atomic<std::uint64_t> allocations{0};
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace perdure {
namespace {

constexpr std::uint64_t kFew = 1000, kMany = 3000;

/// Of few shapes, under names that no string holds without an allocation.
tree::FlatTree many_leaves(std::uint64_t count) {
  std::vector<std::pair<std::string, Leaf>> leaves;
  for (std::uint64_t i = 0; i < count; ++i) {
    leaves.emplace_back("a_leaf_with_a_long_name_" + std::to_string(i), test::floats({100 + i % 7}));
  }
  return test::mapping(std::move(leaves));
}

/// Counts reads of data files.
class CountingFileSystem : public test::ForwardingFileSystem {
 public:
  std::unique_ptr<File> open(const std::string& path, bool follow) override {
    auto file = posix.open(path, follow);
    if (path.find("/d/") == std::string::npos) return file;
    return std::make_unique<CountingFile>(std::move(file), reads);
  }
  std::atomic<std::uint64_t> reads{0};

 private:
  struct CountingFile : test::ForwardingFile {
    CountingFile(std::unique_ptr<File> real, std::atomic<std::uint64_t>& count) : ForwardingFile(std::move(real)), reads(count) {}
    void read_at(std::uint64_t offset, ByteSpan target) override {
      ++reads;
      file->read_at(offset, target);
    }
    std::atomic<std::uint64_t>& reads;
  };
};

class LeafCost : public testing::Test {
 protected:
  LeafCost() {
    for (const std::uint64_t count : {kFew, kMany}) save(path(count), many_leaves(count));
    load(path(kMany));  // what is set up once has been
  }

  std::string path(std::uint64_t count) const { return directory_ / std::to_string(count); }

  template <class Action>
  static std::uint64_t allocations_of(Action&& action) {
    const std::uint64_t before = allocations;
    action();
    return allocations - before;
  }

  /// By the leaf, rounded.
  template <class Action>
  static std::uint64_t allocations_a_leaf(Action&& action) {
    const std::uint64_t few = allocations_of([&] { action(kFew); });
    const std::uint64_t many = allocations_of([&] { action(kMany); });
    return (many - few + (kMany - kFew) / 2) / (kMany - kFew);
  }

  test::TemporaryDirectory directory_;
};

TEST_F(LeafCost, OfALoadIsAFewAllocations) {
  EXPECT_LE(allocations_a_leaf([&](std::uint64_t count) { load_tree(path(count)); }), 12);
}

TEST_F(LeafCost, OfASaveIsAFewAllocations) {
  const tree::FlatTree few = many_leaves(kFew), many = many_leaves(kMany);
  SaveOptions options;
  options.overwrite = true;
  const auto action = [&](std::uint64_t count) { save(path(count), count == kFew ? few : many, options); };
  EXPECT_LE(allocations_a_leaf(action), 20);
}

TEST_F(LeafCost, OfALoadIsNoReadOfItsOwn) {
  CountingFileSystem fs;
  load_tree(path(kMany), {.open = {.environment = {.file_system = &fs}}});
  EXPECT_LE(fs.reads, 3);  // the B+tree, and the leaves in batches
}

}  // namespace
}  // namespace perdure
