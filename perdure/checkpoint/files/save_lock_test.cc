#include "perdure/checkpoint/files/save_lock.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "perdure/base/error.h"
#include "perdure/checkpoint/files/commit.h"
#include "perdure/checkpoint/files/layout.h"
#include "tests/support/failures.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/forwarding_file_system.h"
#include "tests/support/temporary_directory.h"

namespace perdure::checkpoint {
namespace {

using test::kind_of_failure;
using test::names_in;
using test::TemporaryDirectory;
using testing::ElementsAre;
using testing::HasSubstr;

FileSystem& real() { return posix_file_system(); }

void write_checkpoint(FileSystem& fs, const std::string& directory, const std::string& content) {
  write_new_file(fs, join_path(directory, kCheckpointMetadataFile), as_bytes(content));
}

void save_text(const std::string& path, const std::string& content, FileSystem& fs = real(), Clock& clock = system_clock()) {
  Environment environment;
  environment.file_system = &fs;
  environment.clock = &clock;
  Transaction transaction(path, false, environment);
  write_checkpoint(fs, transaction.directory(), content);
  transaction.commit();
}

std::string content(const std::string& path) { return read_file(real(), join_path(path, kCheckpointMetadataFile), 100); }

TEST(SaveLock, RefusesASecondSaveToTheSamePath) {
  TemporaryDirectory dir;
  Transaction first(dir / "c", false, {});
  std::thread([&] { EXPECT_EQ(kind_of_failure([&] { save_text(dir / "c", "two"); }), ErrorKind::kAlreadyExists); }).join();
  write_checkpoint(real(), first.directory(), "one");
  first.commit();
  EXPECT_EQ(content(dir / "c"), "one");
}

TEST(SaveLock, RemovesWhatADeadProcessLeft) {
  TemporaryDirectory dir;
  real().make_directory(temporary_path(dir / "c"));
  write_checkpoint(real(), temporary_path(dir / "c"), "half");
  write_new_file(real(), lock_path(dir / "c"), {});  // it died before it could sign
  save_text(dir / "c", "one");
  EXPECT_EQ(content(dir / "c"), "one");
  EXPECT_THAT(names_in(dir.path()), ElementsAre("c"));
}

class LateClock : public Clock {
 public:
  explicit LateClock(std::uint64_t late_ns) : late_ns_(late_ns) {}
  std::uint64_t now_ns() override { return system_clock().now_ns() + late_ns_; }

 private:
  std::uint64_t late_ns_;
};

void save_late(const std::string& path, std::uint64_t late_ns, FileSystem& fs = real()) {
  LateClock clock(late_ns);
  save_text(path, "one", fs, clock);
}

constexpr std::uint64_t kMoreThanADay = kForeignLockTtlNs + 1'000'000'000;

TEST(SaveLock, BelievesAnotherHostForADay) {
  TemporaryDirectory dir;
  real().make_directory(temporary_path(dir / "c"));
  write_new_file(real(), lock_path(dir / "c"), as_bytes("host elsewhere\nboot other\npid 1\n"));
  EXPECT_EQ(kind_of_failure([&] { save_late(dir / "c", 0); }), ErrorKind::kAlreadyExists);
  EXPECT_THAT(names_in(dir.path()), testing::SizeIs(2));
  save_late(dir / "c", kMoreThanADay);
  EXPECT_THAT(names_in(dir.path()), ElementsAre("c"));
}

TEST(SaveLock, LeavesTheTemporaryDirectoryOfAnotherProgramAlone) {
  TemporaryDirectory dir;
  real().make_directory(temporary_path(dir / "c"));
  write_checkpoint(real(), temporary_path(dir / "c"), "theirs");
  for (int attempt = 0; attempt < 2; ++attempt) {
    EXPECT_EQ(kind_of_failure([&] { save_late(dir / "c", 0); }), ErrorKind::kAlreadyExists);
    EXPECT_EQ(content(temporary_path(dir / "c")), "theirs");
    EXPECT_THAT(names_in(dir.path()), ElementsAre("c.orbax-checkpoint-tmp"));
  }
  save_late(dir / "c", kMoreThanADay);
  EXPECT_THAT(names_in(dir.path()), ElementsAre("c"));
}

TEST(SaveLock, SaysWhatToRemoveOnlyWhenItCannotKnow) {
  TemporaryDirectory dir;
  write_new_file(real(), lock_path(dir / "c"), as_bytes("host elsewhere\nboot other\npid 1\n"));
  EXPECT_THAT(test::message_of_failure(ErrorKind::kAlreadyExists, [&] { save_text(dir / "c", "one"); }),
              HasSubstr("remove '" + lock_path(dir / "c") + "' and '" + temporary_path(dir / "c") + "'"));
  const SaveLock held(real(), system_clock(), dir / "d");
  EXPECT_THAT(test::message_of_failure(ErrorKind::kAlreadyExists, [&] { save_text(dir / "d", "one"); }),
              testing::Not(HasSubstr("remove")));
}

TEST(SaveLock, IsHeldThoughThereIsNoRoomToSignIt) {
  TemporaryDirectory dir;
  for (int fail_at : {1, 2}) {
    test::FaultPlan plan{.fail_at = fail_at};
    test::FaultyFileSystem full(plan);
    const SaveLock held(full, system_clock(), dir / "c");
    EXPECT_THAT(plan.failed, HasSubstr(fail_at == 1 ? "truncate" : "write"));
    EXPECT_EQ(kind_of_failure([&] { save_text(dir / "c", "one"); }), ErrorKind::kAlreadyExists);
  }
  save_text(dir / "c", "one");
}

TEST(SaveLock, NeverFollowsALink) {
  TemporaryDirectory dir;
  write_new_file(real(), dir / "precious", as_bytes("years"));
  ASSERT_EQ(::symlink("precious", lock_path(dir / "c").c_str()), 0);
  EXPECT_EQ(kind_of_failure([&] { save_text(dir / "c", "one"); }), ErrorKind::kIo);
  EXPECT_EQ(read_file(real(), dir / "precious", 100), "years");
}

/// As Lustre without the mount option "flock".
struct FileSystemWithoutLocks : test::ForwardingFileSystem {
  struct UnlockableFile : test::ForwardingFile {
    using ForwardingFile::ForwardingFile;
    bool try_lock() override { throw io_error("cannot lock", path(), ENOSYS); }
  };
  std::unique_ptr<File> create(const std::string& path) override { return std::make_unique<UnlockableFile>(posix.create(path)); }
  std::unique_ptr<File> open_writable(const std::string& path) override {
    return std::make_unique<UnlockableFile>(posix.open_writable(path));
  }
};

struct SaveLockWithoutLocks : testing::Test {
  TemporaryDirectory dir;
  FileSystemWithoutLocks fs;
};

TEST_F(SaveLockWithoutLocks, IsTheFile) {
  Environment environment;
  environment.file_system = &fs;
  Transaction first(dir / "c", false, environment);
  EXPECT_EQ(kind_of_failure([&] { save_text(dir / "c", "two", fs); }), ErrorKind::kAlreadyExists);
  write_checkpoint(real(), first.directory(), "one");
  first.commit();
  EXPECT_EQ(content(dir / "c"), "one");
  EXPECT_THAT(names_in(dir.path()), ElementsAre("c"));
}

TEST_F(SaveLockWithoutLocks, IsFreeOnceItsProcessHasEnded) {
  const pid_t child = ::fork();
  if (child == 0) {
    Environment environment;
    environment.file_system = &fs;
    Transaction left(dir / "c", false, environment);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_THAT(names_in(dir.path()), ElementsAre("c.orbax-checkpoint-tmp", "c.orbax-checkpoint-tmp.lock"));
  save_text(dir / "c", "one", fs);
  EXPECT_THAT(names_in(dir.path()), ElementsAre("c"));
}

TEST_F(SaveLockWithoutLocks, OfWhomNobodyCanAskIsBelievedForADay) {
  for (const char* owner : {"", "host elsewhere\nboot other\npid 1\n"}) {
    write_new_file(real(), lock_path(dir / "c"), as_bytes(owner));
    EXPECT_EQ(kind_of_failure([&] { save_text(dir / "c", "one", fs); }), ErrorKind::kAlreadyExists);
    save_late(dir / "c", kMoreThanADay, fs);
    EXPECT_THAT(names_in(dir.path()), ElementsAre("c"));
    remove_tree(real(), dir / "c");
  }
}

}  // namespace
}  // namespace perdure::checkpoint
