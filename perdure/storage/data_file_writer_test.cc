#include "perdure/storage/data_file_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <random>

#include "perdure/base/array_view.h"
#include "perdure/base/buffer_pool.h"
#include "perdure/base/checksum.h"
#include "perdure/base/error.h"
#include "tests/support/forwarding_file_system.h"

namespace perdure::storage {
namespace {

constexpr std::size_t kBuffer = 8 << 20;
constexpr std::size_t kBlock = 4096;

std::string random_text(std::size_t size) {
  std::mt19937_64 random(size);
  std::string text(size, '\0');
  for (std::size_t i = 0; i + 8 <= size; i += 8) {
    const std::uint64_t word = random();
    std::memcpy(text.data() + i, &word, 8);
  }
  return text;
}

using test::ForwardingFile;

/// A descriptor that refuses every write: what was written directly must be written again through write_at.
struct ReadOnlyHandleFile : ForwardingFile {
  explicit ReadOnlyHandleFile(std::unique_ptr<File> file)
      : ForwardingFile(std::move(file)), fd(::open(path().c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~ReadOnlyHandleFile() override { ::close(fd); }
  int native_handle() const override { return fd; }
  const int fd;
};

struct SimulatedFile : ForwardingFile {
  using ForwardingFile::ForwardingFile;
  int native_handle() const override { return -1; }
};

struct FullDiskFile : SimulatedFile {
  using SimulatedFile::SimulatedFile;
  void write_at(std::uint64_t offset, ByteView bytes) override {
    if (offset + bytes.size() > kBuffer) throw io_error("cannot write", path(), ENOSPC);
    file->write_at(offset, bytes);
  }
};

struct UnsyncableFile : ForwardingFile {
  using ForwardingFile::ForwardingFile;
  void sync() override { throw io_error("cannot sync", path(), EIO); }
};

/// Creates posix files, each within a `Wrapper`. The writer asks for nothing else.
template <class Wrapper>
struct WrappingFileSystem : test::ForwardingFileSystem {
  std::unique_ptr<File> create(const std::string& path) override { return std::make_unique<Wrapper>(posix.create(path)); }
};

struct DataFileWriterTest : testing::Test {
  explicit DataFileWriterTest(std::string parent = testing::TempDir()) {
    std::string name = parent + "/perdure_data_file_XXXXXX";
    root = ::mkdtemp(name.data());
    path = join_path(root, "data");
  }
  ~DataFileWriterTest() override { remove_tree(fs, root); }

  std::string content() { return read_file(fs, path, std::uint64_t{1} << 30); }

  /// Writes `text` in pieces of odd sizes; expects that it arrives, with the right CRC.
  WriteStatistics expect_writes(const std::string& text, const DataFileOptions& options, FileSystem& with) {
    auto writer = create_data_file(with, path, options);
    std::uint32_t crc = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::string_view piece = std::string_view(text).substr(begin, 1 + begin * 7 % 3'000'001);
      crc = writer->append(as_bytes(piece), crc);
      begin += piece.size();
    }
    EXPECT_EQ(writer->position(), text.size());
    EXPECT_EQ(crc, crc32c(as_bytes(text)));
    EXPECT_EQ(writer->finish(), crc);
    EXPECT_TRUE(content() == text);
    EXPECT_EQ(writer->statistics().copied_bytes, text.size());
    const WriteStatistics statistics = writer->statistics();
    fs.remove_file(path);
    return statistics;
  }

  FileSystem& fs = posix_file_system();
  std::string root;
  std::string path;
};

using DataFileWriter = DataFileWriterTest;

TEST_F(DataFileWriter, WritesEverySizeAroundBufferAndBlockBoundariesByEveryWay) {
  for (const std::size_t whole : {std::size_t{0}, kBlock, std::size_t{1} << 20, kBuffer, 2 * kBuffer}) {
    for (const int more : {-1, 0, 1}) {
      if (whole == 0 && more < 0) continue;
      const std::string text = random_text(whole + static_cast<std::size_t>(more));
      for (const bool direct : {false, true}) {
        for (const bool io_uring : {false, true}) {
          for (const std::size_t hint : {std::size_t{0}, text.size(), text.size() + 5'000'000}) {
            SCOPED_TRACE(testing::Message() << text.size() << " bytes, direct " << direct << io_uring << ", hint " << hint);
            expect_writes(text, {.size_hint_bytes = hint, .direct = direct, .io_uring = io_uring}, fs);
          }
        }
      }
    }
  }
}

TEST_F(DataFileWriter, FillsMoreBuffersThanMayBeInFlight) {
  const std::string text = random_text(9 * kBuffer + 12'345);
  const WriteStatistics statistics = expect_writes(text, {.size_hint_bytes = text.size()}, fs);
  EXPECT_EQ(statistics.write_calls, 10);
  EXPECT_EQ(statistics.written_bytes, 9 * kBuffer + (statistics.path == "buffered" ? 12'345 : 4 * kBlock));
}

TEST_F(DataFileWriter, CountsExactlyWithoutDirectWrites) {
  const WriteStatistics statistics = expect_writes(random_text(2 * kBuffer + 5), {.direct = false}, fs);
  EXPECT_EQ(statistics.path, "buffered");
  EXPECT_EQ(statistics.written_bytes, 2 * kBuffer + 5);
  EXPECT_EQ(statistics.write_calls, 3);
}

TEST_F(DataFileWriter, WritesSmallFilesInOneCallThroughThePageCache) {
  const WriteStatistics statistics = expect_writes(random_text(100'000), {}, fs);
  EXPECT_EQ(statistics.path, "buffered");
  EXPECT_EQ(statistics.written_bytes, 100'000);
  EXPECT_EQ(statistics.write_calls, 1);
}

TEST_F(DataFileWriter, GathersStridedArrays) {
  const std::string memory = random_text(3000 * 2001 * 4);
  const auto* data = reinterpret_cast<const std::byte*>(memory.data());
  for (const ArrayView& array :
       {ArrayView{data, DType::kInt32, {2000, 3000}, {4, 2001 * 4}},              // transposed
        ArrayView{data + 4 * 2000, DType::kInt32, {3000, 1001}, {2001 * 4, -8}},  // backwards
        ArrayView{data, DType::kInt32, {5, 2000}, {0, 4}}, ArrayView{data, DType::kInt32, {0, 3}, {4, 16}}}) {
    std::string expected(array.size_bytes(), '\0');
    gather_bytes(array, 0, std::as_writable_bytes(std::span(expected)));
    auto writer = create_data_file(fs, path);
    writer->append(as_bytes("x"));
    EXPECT_EQ(
        writer->append(array.size_bytes(), [&](std::uint64_t offset, ByteSpan target) { gather_bytes(array, offset, target); }),
        crc32c(as_bytes(expected)));
    EXPECT_EQ(writer->finish(), crc32c(as_bytes("x" + expected)));
    EXPECT_TRUE(content() == "x" + expected);
    EXPECT_EQ(writer->statistics().copied_bytes, 1 + expected.size());
    fs.remove_file(path);
  }
}

/// Memory of `size` random bytes that begins `offset` bytes behind the beginning of a page.
struct PlacedBytes {
  PlacedBytes(std::size_t offset, std::size_t size) : memory(2 * kBlock + size) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    bytes = std::span(memory).subspan((kBlock - address % kBlock) % kBlock + offset, size);
    std::ranges::copy(as_bytes(random_text(size)), bytes.begin());
  }
  std::string_view text() const { return as_text(bytes); }
  std::vector<std::byte> memory;
  ByteSpan bytes;
};

struct InPlaceCounts {
  std::uint64_t in_place_bytes = 0, copied_bytes = 0;
  bool operator==(const InPlaceCounts&) const = default;
};

/// Writes "head", then `placed` as a value that stands as its memory does, then "tail", twice over.
InPlaceCounts write_in_place(FileSystem& fs, const std::string& path, const PlacedBytes& placed, const DataFileOptions& options) {
  const std::uint64_t rest = reinterpret_cast<std::uintptr_t>(placed.bytes.data()) % kBlock;
  auto writer = create_data_file(fs, path, options);
  std::string expected;
  for (int i = 0; i < 2; ++i) {
    writer->append(as_bytes("head"));
    writer->align(kBlock, rest);
    expected += "head";
    expected += std::string((rest + kBlock - expected.size() % kBlock) % kBlock, '\0').append(placed.text()) + "tail";
    EXPECT_EQ(writer->append_in_place(placed.bytes), crc32c(placed.bytes));
    writer->append(as_bytes("tail"));
    EXPECT_EQ(writer->position(), expected.size());
  }
  EXPECT_EQ(writer->finish(), crc32c(as_bytes(expected)));
  EXPECT_TRUE(read_file(fs, path, std::uint64_t{1} << 30) == expected);
  fs.remove_file(path);
  return {writer->statistics().in_place_bytes, writer->statistics().copied_bytes - 16};
}

TEST_F(DataFileWriter, WritesFromInPlaceWhatStandsAsItsMemoryDoes) {
  for (const std::size_t size : {5 * kBlock, 2 * kBuffer + 3 * kBlock + 12}) {
    for (const std::size_t offset : {std::size_t{0}, std::size_t{64}, kBlock - 1}) {
      const PlacedBytes placed(offset, size);
      const std::uint64_t whole = (size - (kBlock - offset) % kBlock) / kBlock * kBlock;
      for (const bool direct : {false, true}) {
        for (const bool io_uring : {false, true}) {
          SCOPED_TRACE(testing::Message() << size << " bytes at " << offset << ", direct " << direct << io_uring);
          EXPECT_EQ(write_in_place(fs, path, placed, {.direct = direct, .io_uring = io_uring}),
                    (InPlaceCounts{2 * whole, 2 * (size - whole)}));
        }
      }
    }
  }
}

TEST_F(DataFileWriter, WritesAgainFromInPlaceWhatWasRefused) {
  WrappingFileSystem<ReadOnlyHandleFile> refusing;
  WrappingFileSystem<SimulatedFile> simulated;
  const PlacedBytes placed(64, 4 * kBuffer);
  for (FileSystem* with : {static_cast<FileSystem*>(&refusing), static_cast<FileSystem*>(&simulated)}) {
    EXPECT_EQ(write_in_place(*with, path, placed, {}), (InPlaceCounts{8 * kBuffer - 2 * kBlock, 2 * kBlock}));
  }
}

TEST_F(DataFileWriter, CopiesWhatStandsOtherwiseOrFillsNoBlock) {
  const PlacedBytes placed(64, 3 * kBlock);
  auto writer = create_data_file(fs, path);
  writer->append_in_place(placed.bytes);
  writer->align(kBlock, 64);
  writer->append_in_place(placed.bytes.first(kBlock));
  writer->finish();
  EXPECT_EQ(writer->statistics().in_place_bytes, 0);
  EXPECT_EQ(writer->statistics().copied_bytes, 4 * kBlock);
}

TEST_F(DataFileWriter, AlignsWithZeros) {
  auto writer = create_data_file(fs, path);
  writer->align(64);
  EXPECT_EQ(writer->position(), 0);
  writer->append(as_bytes("abc"));
  writer->align(8);
  writer->append(as_bytes("d"));
  writer->align(1);
  EXPECT_EQ(writer->position(), 9);
  writer->align(16, 3);
  EXPECT_EQ(writer->position(), 19);
  writer->align(16, 3);
  EXPECT_EQ(writer->position(), 19);
  const std::string expected("abc\0\0\0\0\0d\0\0\0\0\0\0\0\0\0\0", 19);
  EXPECT_EQ(writer->finish(), crc32c(as_bytes(expected)));
  EXPECT_EQ(content(), expected);
  EXPECT_EQ(writer->statistics().copied_bytes, 4);
}

TEST_F(DataFileWriter, AlignsAcrossABuffer) {
  auto writer = create_data_file(fs, path);
  writer->append(as_bytes(std::string(kBuffer - 1, 'x')));
  writer->align(2 * kBuffer);
  const std::string expected = std::string(kBuffer - 1, 'x') + std::string(kBuffer + 1, '\0');
  EXPECT_EQ(writer->finish(), crc32c(as_bytes(expected)));
  EXPECT_TRUE(content() == expected);
}

TEST_F(DataFileWriter, RefusesAnExistingFile) {
  write_new_file(fs, path, {});
  try {
    create_data_file(fs, path);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kAlreadyExists);
  }
}

TEST_F(DataFileWriter, WritesAgainWhatWasRefused) {
  WrappingFileSystem<ReadOnlyHandleFile> refusing;
  const std::string text = random_text(7 * kBuffer + 12'345);
  const WriteStatistics statistics = expect_writes(text, {}, refusing);
  EXPECT_EQ(statistics.path, "buffered");
  EXPECT_GE(statistics.written_bytes, text.size());
  EXPECT_GT(statistics.write_calls, 8);
}

TEST_F(DataFileWriter, WritesSimulatedFilesInOrder) {
  WrappingFileSystem<SimulatedFile> simulated;
  const WriteStatistics statistics = expect_writes(random_text(2 * kBuffer + 5), {}, simulated);
  EXPECT_EQ(statistics.path, "buffered");
  EXPECT_EQ(statistics.written_bytes, 2 * kBuffer + 5);
  EXPECT_EQ(statistics.write_calls, 3);
}

TEST_F(DataFileWriter, AFullDiskFailsEveryLaterCall) {
  WrappingFileSystem<FullDiskFile> full;
  auto writer = create_data_file(full, path);
  const std::string text = random_text(kBuffer);
  for (int attempt = 0; attempt < 3; ++attempt) {
    try {
      for (int i = 0; i < 10; ++i) writer->append(as_bytes(text));
      FAIL() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.errno_value(), ENOSPC);
      EXPECT_THAT(error.message(), testing::HasSubstr(path));
      EXPECT_THAT(error.notes(), testing::ElementsAre("8388608 bytes at byte 8388608"));
    }
  }
  EXPECT_THROW(writer->finish(), Error);
}

TEST_F(DataFileWriter, AFailedSyncFailsTheFile) {
  WrappingFileSystem<UnsyncableFile> unsyncable;
  for (const std::size_t size : {std::size_t{10}, kBuffer}) {
    auto writer = create_data_file(unsyncable, path);
    writer->append(as_bytes(random_text(size)));
    EXPECT_THROW(writer->finish(), Error);
    fs.remove_file(path);
  }
}

/// What a process that may write `size_max` bytes to a file gets for three buffers: an errno, or 0.
int errno_under_size_limit(FileSystem& fs, const std::string& path, const DataFileOptions& options, rlim_t size_max) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{size_max, size_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      auto writer = create_data_file(fs, path, options);
      for (int i = 0; i < 3; ++i) writer->append(as_bytes(std::string(kBuffer, 'x')));
      writer->finish();
      ::_exit(0);
    } catch (const Error& error) {
      ::_exit(error.kind() == ErrorKind::kIo ? error.errno_value() : 255);
    }
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(DataFileWriter, RealFailuresSurfaceByEveryWay) {
  for (const bool direct : {false, true}) {
    for (const bool io_uring : {false, true}) {
      for (const std::uint64_t hint : {std::uint64_t{0}, std::uint64_t{3 * kBuffer}}) {
        SCOPED_TRACE(testing::Message() << "direct " << direct << io_uring << ", hint " << hint);
        const DataFileOptions options{.size_hint_bytes = hint, .direct = direct, .io_uring = io_uring};
        EXPECT_EQ(errno_under_size_limit(fs, path, options, kBuffer + 4096), EFBIG);
        fs.remove_file(path);
        EXPECT_EQ(errno_under_size_limit(fs, path, options, 3 * kBuffer), 0);
        fs.remove_file(path);
      }
    }
  }
}

TEST_F(DataFileWriter, MayBeGivenUpInTheMiddle) {
  auto writer = create_data_file(fs, path);
  for (int i = 0; i < 3; ++i) writer->append(as_bytes(random_text(kBuffer)));
  writer.reset();
  fs.remove_file(path);
}

struct DataFileWriterOnTmpfs : DataFileWriterTest {
  DataFileWriterOnTmpfs() : DataFileWriterTest("/dev/shm") {}
};

TEST_F(DataFileWriterOnTmpfs, WritesWhateverTheFileSystemRefuses) {
  for (const std::size_t size : {std::size_t{5}, kBuffer - 1, kBuffer, 3 * kBuffer + 5}) {
    expect_writes(random_text(size), {}, fs);
    expect_writes(random_text(size), {.size_hint_bytes = size, .io_uring = false}, fs);
  }
}

}  // namespace
}  // namespace perdure::storage
