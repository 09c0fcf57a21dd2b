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

#include "perdure/base/buffer_pool.h"
#include "perdure/base/checksum.h"
#include "perdure/base/error.h"

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

/// Lets a File do all but what a test changes.
struct ForwardingFile : File {
  explicit ForwardingFile(std::unique_ptr<File> file) : file(std::move(file)) {}
  const std::string& path() const override { return file->path(); }
  std::uint64_t size_bytes() override { return file->size_bytes(); }
  void read_at(std::uint64_t offset, ByteSpan target) override { file->read_at(offset, target); }
  void write_at(std::uint64_t offset, ByteView bytes) override { file->write_at(offset, bytes); }
  void truncate(std::uint64_t size) override { file->truncate(size); }
  void reserve(std::uint64_t size) override { file->reserve(size); }
  void sync() override { file->sync(); }
  Blob map(std::uint64_t offset, std::uint64_t size) override { return file->map(offset, size); }
  bool try_lock() override { return file->try_lock(); }
  int native_handle() const override { return file->native_handle(); }
  const std::unique_ptr<File> file;
};

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
struct WrappingFileSystem : FileSystem {
  std::unique_ptr<File> create(const std::string& path) override { return std::make_unique<Wrapper>(posix.create(path)); }
  std::unique_ptr<File> open(const std::string& path, bool follow) override { return posix.open(path, follow); }
  std::unique_ptr<File> open_writable(const std::string& path) override { return posix.open_writable(path); }
  std::optional<FileInfo> find_info(const std::string& path, bool follow) override { return posix.find_info(path, follow); }
  std::vector<DirectoryEntry> list(const std::string& path) override { return posix.list(path); }
  void make_directory(const std::string& path) override { posix.make_directory(path); }
  void remove_file(const std::string& path) override { posix.remove_file(path); }
  void remove_directory(const std::string& path) override { posix.remove_directory(path); }
  void rename(const std::string& from, const std::string& to) override { posix.rename(from, to); }
  void rename_new(const std::string& from, const std::string& to) override { posix.rename_new(from, to); }
  bool exchange(const std::string& a, const std::string& b) override { return posix.exchange(a, b); }
  void link(const std::string& from, const std::string& to) override { posix.link(from, to); }
  void sync_directory(const std::string& path) override { posix.sync_directory(path); }
  FileSystem& posix = posix_file_system();
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
    EXPECT_EQ(writer->append(array), crc32c(as_bytes(expected)));
    EXPECT_EQ(writer->finish(), crc32c(as_bytes("x" + expected)));
    EXPECT_TRUE(content() == "x" + expected);
    EXPECT_EQ(writer->statistics().copied_bytes, 1 + expected.size());
    fs.remove_file(path);
  }
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
  const std::string expected("abc\0\0\0\0\0d", 9);
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
