#include "perdure/checkpoint/files/commit.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <thread>

#include "perdure/base/error.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/files/save_lock.h"
#include "tests/support/failures.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/temporary_directory.h"

namespace perdure::checkpoint {
namespace {

using test::FaultPlan;
using test::FaultyFileSystem;
using test::kind_of_failure;
using test::names_in;
using test::snapshot;
using test::TemporaryDirectory;
using testing::ElementsAre;
using testing::IsEmpty;

FileSystem& real() { return posix_file_system(); }

void write_checkpoint(FileSystem& fs, const std::string& directory, const std::string& content) {
  write_new_file(fs, join_path(directory, kCheckpointMetadataFile), as_bytes("{}"));
  fs.make_directory(join_path(directory, "state"));
  write_new_file(fs, join_path(directory, "state/data"), as_bytes(content));
}

void save_text(const std::string& path, const std::string& content, bool overwrite = false, FileSystem& fs = real()) {
  Environment environment;
  environment.file_system = &fs;
  Transaction transaction(path, overwrite, environment);
  write_checkpoint(fs, transaction.directory(), content);
  transaction.commit();
}

/// What the checkpoint at `path` says; "" if there is none.
std::string content(const std::string& path) {
  const auto files = snapshot(path);
  if (files.empty()) return "";
  EXPECT_EQ(files.size(), 2);
  return files.at("state/data");
}

TEST(Transaction, MakesTheCheckpointVisibleAndNothingElse) {
  TemporaryDirectory dir;
  save_text(dir / "runs/a/c", "one");
  EXPECT_EQ(content(dir / "runs/a/c"), "one");
  EXPECT_THAT(names_in(dir / "runs/a"), ElementsAre("c"));
}

TEST(Transaction, WithoutCommitLeavesNothingBehind) {
  TemporaryDirectory dir;
  {
    Transaction transaction(dir / "runs/a/c", false, {});
    write_checkpoint(real(), transaction.directory(), "one");
  }
  EXPECT_THAT(names_in(dir.path()), IsEmpty());
}

TEST(Transaction, ReplacesACheckpointOnlyWhenAsked) {
  TemporaryDirectory dir;
  save_text(dir / "c", "one");
  EXPECT_EQ(kind_of_failure([&] { save_text(dir / "c", "two"); }), ErrorKind::kAlreadyExists);
  EXPECT_EQ(content(dir / "c"), "one");
  save_text(dir / "c/", "two", true);
  EXPECT_EQ(content(dir / "c"), "two");
  EXPECT_THAT(names_in(dir.path()), ElementsAre("c"));
}

TEST(Transaction, NeverReplacesWhatIsNoCheckpoint) {
  TemporaryDirectory dir;
  real().make_directory(dir / "empty");
  real().make_directory(dir / "project");
  write_new_file(real(), dir / "project/thesis.tex", as_bytes("years"));
  write_new_file(real(), dir / "file", as_bytes("text"));
  const auto before = snapshot(dir.path());
  for (const char* name : {"empty", "project", "file"}) {
    EXPECT_EQ(kind_of_failure([&] { save_text(dir / name, "two", true); }), ErrorKind::kAlreadyExists) << name;
  }
  EXPECT_EQ(snapshot(dir.path()), before);
}

TEST(Transaction, NeverReplacesAPartOfACheckpoint) {
  TemporaryDirectory dir;
  save_text(dir / "c", "one");
  write_new_file(real(), dir / "c/state/_METADATA", as_bytes("{}"));
  EXPECT_EQ(kind_of_failure([&] { save_text(dir / "c/state", "two", true); }), ErrorKind::kInvalid);
}

TEST(Transaction, SeesThroughLinksThatAPathLeadsIntoACheckpoint) {
  TemporaryDirectory dir;
  save_text(dir / "c", "one");
  ASSERT_EQ(::symlink("c", (dir / "link").c_str()), 0);
  ASSERT_EQ(::symlink("c/state", (dir / "deep").c_str()), 0);
  for (const char* inside : {"link/x", "link/new/x", "deep/x", "deep/../x"}) {
    EXPECT_EQ(kind_of_failure([&] { save_text(dir / inside, "two"); }), ErrorKind::kInvalid) << inside;
  }
  EXPECT_EQ(content(dir / "c"), "one");
  save_text(dir / "link/../beside", "two");
  EXPECT_EQ(content(dir / "beside"), "two");
}

TEST(Transaction, NeverReplacesALink) {
  TemporaryDirectory dir;
  save_text(dir / "c", "one");
  ASSERT_EQ(::symlink("c", (dir / "link").c_str()), 0);
  EXPECT_EQ(kind_of_failure([&] { save_text(dir / "link", "two", true); }), ErrorKind::kAlreadyExists);
  EXPECT_EQ(content(dir / "link"), "one");
}

TEST(Transaction, RefusesPathsThatNameNothingOfTheirOwn) {
  for (const char* path : {"", "/", ".", "..", "x/..", "x.orbax-checkpoint-tmp", "x.perdure-old"}) {
    EXPECT_EQ(kind_of_failure([&] { Transaction(path, true, {}); }), ErrorKind::kInvalid) << path;
  }
}

TEST(Transaction, RefusesANameThatLeavesNoRoomForItsSuffixes) {
  TemporaryDirectory dir;
  const std::string long_name(250, 'x');
  EXPECT_EQ(kind_of_failure([&] { save_text(dir / ("runs/" + long_name), "one"); }), ErrorKind::kIo);
  EXPECT_THAT(names_in(dir.path()), IsEmpty());
  save_text(dir / "c", "one");
  real().rename(dir / "c", dir / long_name);
  EXPECT_EQ(readable_path(real(), dir / long_name), dir / long_name);
}

TEST(Transaction, WorksWithRelativePaths) {
  TemporaryDirectory dir;
  const std::filesystem::path before = std::filesystem::current_path();
  ASSERT_EQ(::chdir(dir.path().c_str()), 0);
  save_text("c", "one");
  save_text("./c", "two", true);
  save_text("runs/c", "three");
  ASSERT_EQ(::chdir(before.c_str()), 0);
  EXPECT_EQ(content(dir / "c"), "two");
  EXPECT_EQ(content(dir / "runs/c"), "three");
}

TEST(Transaction, UndoesAnOverwriteThatACrashLeftHalfWay) {
  TemporaryDirectory dir;
  save_text(dir / "c", "one");
  real().rename(dir / "c", old_path(dir / "c"));
  EXPECT_EQ(readable_path(real(), dir / "c"), dir / "c");
  EXPECT_EQ(content(dir / "c"), "one");
  EXPECT_THAT(names_in(dir.path()), ElementsAre("c"));
}

TEST(Transaction, RemovesAnOldCheckpointThatACrashLeft) {
  TemporaryDirectory dir;
  save_text(dir / "a", "old");
  real().rename(dir / "a", old_path(dir / "c"));
  save_text(dir / "b", "new");
  real().rename(dir / "b", dir / "c");
  EXPECT_EQ(readable_path(real(), dir / "c"), dir / "c");
  EXPECT_EQ(content(dir / "c"), "new");
  save_text(dir / "c", "newer", true);
  EXPECT_EQ(content(dir / "c"), "newer");
  EXPECT_THAT(names_in(dir.path()), ElementsAre("c"));
}

TEST(Transaction, UndoesAnOverwriteForWhoeverAsksForAnItem) {
  TemporaryDirectory dir;
  save_text(dir / "c", "one");
  real().rename(dir / "c", old_path(dir / "c"));
  EXPECT_EQ(readable_path(real(), dir / "c/state"), dir / "c/state");
  EXPECT_EQ(content(dir / "c"), "one");
}

TEST(Transaction, NeverTakesWhatIsNoCheckpointForTheNewOneOfAnOverwrite) {
  TemporaryDirectory dir;
  save_text(dir / "c", "one");
  real().rename(dir / "c", old_path(dir / "c"));
  real().make_directory(dir / "c");  // by a script that makes its directories first
  for (const bool overwrite : {false, true}) {
    EXPECT_EQ(kind_of_failure([&] { save_text(dir / "c", "two", overwrite); }), ErrorKind::kAlreadyExists);
    EXPECT_EQ(content(old_path(dir / "c")), "one");
  }
  real().remove_directory(dir / "c");
  EXPECT_EQ(readable_path(real(), dir / "c"), dir / "c");
  EXPECT_EQ(content(dir / "c"), "one");
}

TEST(Transaction, ReadsTheOldCheckpointWhereItLiesIfItCannotPutItBack) {
  TemporaryDirectory dir;
  save_text(dir / "c", "one");
  real().rename(dir / "c", old_path(dir / "c"));
  FaultPlan plan{.fail_at = 0, .dies = true};
  FaultyFileSystem read_only(plan);
  EXPECT_EQ(readable_path(read_only, dir / "c"), old_path(dir / "c"));
  EXPECT_EQ(readable_path(read_only, dir / "c/state"), old_path(dir / "c") + "/state");
  {
    const SaveLock held(real(), system_clock(), dir / "c");
    EXPECT_EQ(readable_path(real(), dir / "c"), old_path(dir / "c"));
  }
  write_new_file(real(), lock_path(dir / "c"), as_bytes("host elsewhere\nboot other\npid 1\n"));
  EXPECT_EQ(readable_path(real(), dir / "c"), old_path(dir / "c"));
}

TEST(Transaction, ReplacesWhatIsThereWhenItCommits) {
  TemporaryDirectory dir;
  for (const bool there_before : {true, false}) {
    if (there_before) save_text(dir / "c", "one");
    Transaction transaction(dir / "c", true, {});
    write_checkpoint(real(), transaction.directory(), "two");
    if (there_before) {
      remove_tree(real(), dir / "c");
    } else {
      real().make_directory(dir / "c");
      write_checkpoint(real(), dir / "c", "of another program");
    }
    transaction.commit();
    EXPECT_EQ(content(dir / "c"), "two");
    EXPECT_THAT(names_in(dir.path()), ElementsAre("c"));
    remove_tree(real(), dir / "c");
  }
}

TEST(Transaction, OfTheParentIsLeftAloneByAForkedChild) {
  TemporaryDirectory dir;
  std::optional<Transaction> transaction(std::in_place, dir / "c", false, Environment{});
  write_checkpoint(real(), transaction->directory(), "one");
  const pid_t child = ::fork();
  if (child == 0) {
    transaction.reset();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(kind_of_failure([&] { save_text(dir / "c", "two"); }), ErrorKind::kAlreadyExists);
  transaction->commit();
  EXPECT_EQ(content(dir / "c"), "one");
}

/// Fails each change in turn. The old or the new checkpoint must be there, the old one if the save failed.
void overwrite_with_each_fault(bool exchange_works) {
  for (int fail_at = 0;; ++fail_at) {
    SCOPED_TRACE("fail_at " + std::to_string(fail_at));
    TemporaryDirectory dir;
    save_text(dir / "c", "one");
    FaultPlan plan{.fail_at = fail_at, .exchange_works = exchange_works};
    FaultyFileSystem fs(plan);
    bool failed = false;
    try {
      save_text(dir / "c", "two", true, fs);
    } catch (const Error& error) {
      failed = true;
      EXPECT_EQ(error.kind(), ErrorKind::kIo) << error.what();
    }
    if (plan.failed.empty()) break;
    SCOPED_TRACE(plan.failed);
    EXPECT_EQ(readable_path(real(), dir / "c"), dir / "c");
    EXPECT_EQ(content(dir / "c"), failed ? "one" : "two");
    save_text(dir / "c", "three", true);
    EXPECT_EQ(content(dir / "c"), "three");
    EXPECT_THAT(names_in(dir.path()), ElementsAre("c"));
  }
}

TEST(TransactionFaults, LeaveTheOldCheckpointOrTheNew) { overwrite_with_each_fault(true); }
TEST(TransactionFaults, LeaveTheOldCheckpointOrTheNewWithoutExchange) { overwrite_with_each_fault(false); }

/// Dies before each change in turn. What is opened next is the old or the new checkpoint, and the save after that works.
void die_at_each_step(bool exchange_works) {
  for (int fail_at = 0;; ++fail_at) {
    TemporaryDirectory dir;
    save_text(dir / "c", "one");
    FaultPlan plan{.fail_at = fail_at, .exchange_works = exchange_works, .dies = true};
    FaultyFileSystem fs(plan);
    test::error_of([&] { save_text(dir / "c", "two", true, fs); });
    if (plan.failed.empty()) break;
    SCOPED_TRACE("died before change " + std::to_string(fail_at));
    EXPECT_EQ(readable_path(real(), dir / "c"), dir / "c");
    EXPECT_THAT(content(dir / "c"), testing::AnyOf("one", "two"));
    save_text(dir / "c", "three", true);
    EXPECT_EQ(content(dir / "c"), "three");
    EXPECT_THAT(names_in(dir.path()), ElementsAre("c"));
  }
}

TEST(TransactionDeaths, LeaveTheOldCheckpointOrTheNewAndNothingInTheWay) { die_at_each_step(true); }
TEST(TransactionDeaths, LeaveTheOldCheckpointOrTheNewAndNothingInTheWayWithoutExchange) { die_at_each_step(false); }

TEST(TransactionFaults, LeaveNothingOfAFirstSave) {
  for (int fail_at = 0;; ++fail_at) {
    SCOPED_TRACE("fail_at " + std::to_string(fail_at));
    TemporaryDirectory dir;
    FaultPlan plan{.fail_at = fail_at};
    FaultyFileSystem fs(plan);
    try {
      save_text(dir / "runs/c", "one", false, fs);
    } catch (const Error&) {
      EXPECT_THAT(names_in(dir.path()), IsEmpty()) << plan.failed;
      continue;
    }
    EXPECT_EQ(content(dir / "runs/c"), "one");
    if (plan.failed.empty()) break;
  }
}

}  // namespace
}  // namespace perdure::checkpoint
