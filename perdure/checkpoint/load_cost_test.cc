// What loads read, and where to: counted below the engine.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <mutex>
#include <sstream>

#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/save.h"
#include "tests/support/forwarding_file_system.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/trees.h"

namespace perdure {
namespace {

using test::floats;
using test::mapping;

constexpr std::uint64_t kRows = 3000, kColumns = 1024, kRowBytes = 4 * kColumns;
constexpr std::uint64_t kChunkRows = 1000;
constexpr std::uint64_t kOverheadMax = 64 << 10;  // B+tree, checksums

/// Notes into which memory data files are read.
class ReadLog : public test::ForwardingFileSystem {
 public:
  std::unique_ptr<File> open(const std::string& path, bool follow) override {
    auto file = posix.open(path, follow);
    if (path.find("/d/") == std::string::npos) return file;
    return std::make_unique<LoggedFile>(std::move(file), *this);
  }

  /// Bytes that were read into this memory, and elsewhere.
  std::uint64_t bytes_into(ByteView memory) const {
    std::uint64_t bytes = 0;
    for (const ByteView read : reads_) {
      if (read.data() >= memory.data() && read.data() + read.size() <= memory.data() + memory.size()) bytes += read.size();
    }
    return bytes;
  }
  std::uint64_t bytes_elsewhere(ByteView memory) const {
    std::uint64_t bytes = 0;
    for (const ByteView read : reads_) bytes += read.size();
    return bytes - bytes_into(memory);
  }

 private:
  struct LoggedFile : test::ForwardingFile {
    LoggedFile(std::unique_ptr<File> real, ReadLog& to) : ForwardingFile(std::move(real)), log(to) {}
    void read_at(std::uint64_t offset, ByteSpan target) override {
      {
        const std::lock_guard lock(log.mutex_);
        log.reads_.emplace_back(target);
      }
      file->read_at(offset, target);
    }
    ReadLog& log;
  };
  std::mutex mutex_;
  std::vector<ByteView> reads_;  // guarded by mutex_
};

class LoadCost : public testing::Test {
 protected:
  LoadCost() {
    SaveOptions options;
    options.arrays.chunk_bytes_max = kChunkRows * kRowBytes;
    save(directory_ / "c", mapping({{"w", array_}}), options);
  }

  LoadedArray read(ArrayRequest request, const ReadOptions& options) {
    const Checkpoint checkpoint = Checkpoint::open(directory_ / "c", {.environment = {.file_system = &log_}});
    const LoadedArray got = std::move(checkpoint.tree()->read({request}, options)[0]);
    const Box box = request.box.value_or(Box::whole({kRows, kColumns}));
    std::vector<std::byte> bytes(got.view.size_bytes()), expected(bytes.size());
    gather_bytes(got.view, 0, bytes);
    gather_bytes(array_.pieces[0].view.sub(box), 0, expected);
    EXPECT_TRUE(bytes == expected);
    return got;
  }

  test::TemporaryDirectory directory_;
  ArrayLeaf array_ = floats({kRows, kColumns});
  ReadLog log_;
};

TEST_F(LoadCost, OfAWholeArrayIsOneReadOfEachByteIntoTheResult) {
  const LoadedArray got = read({}, {});
  const ByteView memory = got.view.bytes();
  EXPECT_EQ(log_.bytes_into(memory), kRows * kRowBytes);
  EXPECT_LT(log_.bytes_elsewhere(memory), kOverheadMax);
}

TEST_F(LoadCost, IntoMemoryOfTheCallerIsOneReadOfEachByteIntoIt) {
  std::vector<std::byte> memory(kRows * kRowBytes);
  read({.target = ArraySpan::contiguous(memory.data(), DType::kFloat32, {kRows, kColumns})}, {});
  EXPECT_EQ(log_.bytes_into(memory), kRows * kRowBytes);
  EXPECT_LT(log_.bytes_elsewhere(memory), kOverheadMax);
}

TEST_F(LoadCost, OfASliceIsItsBytesAndOfItsChunksTheRestForTheChecksum) {
  const LoadedArray got = read({.box = Box{{900, 0}, {300, kColumns}}}, {});
  const ByteView memory = got.view.bytes();
  EXPECT_EQ(log_.bytes_into(memory), 300 * kRowBytes);
  EXPECT_LT(log_.bytes_elsewhere(memory), (2 * kChunkRows - 300) * kRowBytes + kOverheadMax);
}

TEST_F(LoadCost, OfAnUnverifiedSliceIsItsBytes) {
  const LoadedArray got = read({.box = Box{{900, 0}, {300, kColumns}}}, {.verify = false});
  const ByteView memory = got.view.bytes();
  EXPECT_EQ(log_.bytes_into(memory), 300 * kRowBytes);
  EXPECT_LT(log_.bytes_elsewhere(memory), kOverheadMax);
}

/// The line of /proc/self/maps for this address.
std::string mapping_of(const std::byte* address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::istringstream(line) >> std::hex >> begin >> dash >> end;
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (begin <= at && at < end) return line;
  }
  return {};
}

class MappedLoadCost : public LoadCost, public testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(Verified, MappedLoadCost, testing::Bool());

TEST_P(MappedLoadCost, IsNoReadAtAll) {
  const LoadedArray got = read({}, {.verify = GetParam(), .map = true});
  const ByteView memory = got.view.bytes();
  EXPECT_LT(log_.bytes_elsewhere({}), kOverheadMax);
  for (const std::uint64_t row : {std::uint64_t{0}, kChunkRows, kRows - 1})
    EXPECT_THAT(mapping_of(&memory[row * kRowBytes]), testing::HasSubstr("/state/d/"));
}

TEST_P(MappedLoadCost, OfWhatWasWrittenFromInPlaceIsNoReadAtAll) {
  array_.immutable = true;
  SaveOptions options;
  options.overwrite = true;
  options.arrays.chunk_bytes_max = kChunkRows * kRowBytes;
  ASSERT_LT(save(directory_ / "c", mapping({{"w", array_}}), options).copied_bytes, 6 * 4096);
  const LoadedArray got = read({}, {.verify = GetParam(), .map = true});
  const ByteView memory = got.view.bytes();
  EXPECT_LT(log_.bytes_elsewhere({}), kOverheadMax);
  for (const std::uint64_t row : {std::uint64_t{0}, kChunkRows, kRows - 1})
    EXPECT_THAT(mapping_of(&memory[row * kRowBytes]), testing::HasSubstr("/state/d/"));
}

TEST_P(MappedLoadCost, MapsAnArrayAndCopiesItsSlices) {
  const ArrayLeaf rows = test::viewed(array_, array_.pieces[0].view.sub({{0, 0}, {kChunkRows / 2, array_.shape[1]}}));
  SaveOptions options;
  options.overwrite = true;
  save(directory_ / "c", mapping({{"rows", rows}, {"whole", array_}}), options);
  LoadOptions loading;
  loading.read = {.verify = GetParam(), .map = true};
  const tree::FlatTree got = load_tree(directory_ / "c", loading);
  const auto mapping_of_leaf = [&](std::size_t leaf) {
    return mapping_of(std::get<ArrayLeaf>(got.leaves[leaf]).pieces[0].view.data);
  };
  EXPECT_THAT(mapping_of_leaf(1), testing::HasSubstr("/state/d/"));
  EXPECT_THAT(mapping_of_leaf(0), testing::Not(testing::HasSubstr("/state/d/"))) << "a change of one must not show in the other";
}

}  // namespace
}  // namespace perdure
