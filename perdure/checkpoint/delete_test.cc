#include "perdure/checkpoint/delete.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "perdure/base/error.h"
#include "perdure/checkpoint/files/layout.h"
#include "perdure/checkpoint/files/save_lock.h"
#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/save.h"
#include "tests/support/failures.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/trees.h"

namespace perdure {
namespace {

using test::kind_of_failure;
using test::mapping;
using test::names_in;
using test::TemporaryDirectory;
using testing::ElementsAre;
using testing::IsEmpty;

void save_one(const std::string& path) { save(path, mapping({{"n", Scalar(std::int64_t{1})}})); }

TEST(DeleteCheckpoint, LeavesNothing) {
  const TemporaryDirectory dir;
  save_one(dir / "c");
  delete_checkpoint((dir / "c") + "/");
  EXPECT_THAT(names_in(dir.path()), IsEmpty());
  EXPECT_EQ(kind_of_failure([&] { delete_checkpoint(dir / "c"); }), ErrorKind::kNotFound);
}

TEST(DeleteCheckpoint, RefusesWhatIsNoCheckpointOrAPartOfOne) {
  const TemporaryDirectory dir;
  save_one(dir / "c");
  posix_file_system().make_directory(dir / "mine");
  EXPECT_EQ(kind_of_failure([&] { delete_checkpoint(dir / "mine"); }), ErrorKind::kInvalid);
  EXPECT_EQ(kind_of_failure([&] { delete_checkpoint(dir / "c/state"); }), ErrorKind::kInvalid);
  EXPECT_THAT(names_in(dir.path()), ElementsAre("c", "mine"));
}

TEST(DeleteCheckpoint, SeesThroughLinksThatItIsAPartOfOne) {
  const TemporaryDirectory dir;
  save_one(dir / "c");
  ASSERT_EQ(::symlink("c", (dir / "link").c_str()), 0);
  EXPECT_EQ(kind_of_failure([&] { delete_checkpoint(dir / "link/state"); }), ErrorKind::kInvalid);
  EXPECT_NO_THROW(load(dir / "c"));
}

TEST(DeleteCheckpoint, RefusesWhileAnotherProgramSaves) {
  const TemporaryDirectory dir;
  save_one(dir / "c");
  posix_file_system().make_directory(dir / "c.orbax-checkpoint-tmp");
  EXPECT_EQ(kind_of_failure([&] { delete_checkpoint(dir / "c"); }), ErrorKind::kAlreadyExists);
  EXPECT_THAT(names_in(dir.path()), ElementsAre("c", "c.orbax-checkpoint-tmp"));
}

TEST(DeleteCheckpoint, RefusesWhileSomebodySaves) {
  const TemporaryDirectory dir;
  save_one(dir / "c");
  const checkpoint::SaveLock lock(posix_file_system(), system_clock(), dir / "c");
  EXPECT_EQ(kind_of_failure([&] { delete_checkpoint(dir / "c"); }), ErrorKind::kAlreadyExists);
  EXPECT_NO_THROW(load(dir / "c"));
}

TEST(DeleteCheckpoint, BringsNothingBackThatWasOverwritten) {
  const TemporaryDirectory dir;
  save_one(dir / "c");
  save_one(dir / "old");
  posix_file_system().rename(dir / "old", checkpoint::old_path(dir / "c"));  // an overwrite died before it deleted this
  delete_checkpoint(dir / "c");
  EXPECT_THAT(names_in(dir.path()), IsEmpty());
}

TEST(DeleteCheckpoint, MakesRoomOnAFullDisk) {
  const TemporaryDirectory dir;
  save_one(dir / "c");
  test::FaultPlan plan{.fail_at = 2};
  test::FaultyFileSystem fs(plan);
  Environment environment;
  environment.file_system = &fs;
  delete_checkpoint(dir / "c", environment);
  EXPECT_THAT(plan.failed, testing::HasSubstr("write"));
  EXPECT_THAT(names_in(dir.path()), IsEmpty());
}

TEST(DeleteCheckpoint, PutsBackWhatACrashMovedAwayBeforeItDeletes) {
  const TemporaryDirectory dir;
  save_one(dir / "c");
  posix_file_system().rename(dir / "c", checkpoint::old_path(dir / "c"));
  delete_checkpoint(dir / "c");
  EXPECT_THAT(names_in(dir.path()), IsEmpty());
}

TEST(DeleteCheckpoint, RefusesNamesThatAreNoneOfTheirOwn) {
  const TemporaryDirectory dir;
  save_one(dir / "c");
  ASSERT_EQ(::symlink("c", (dir / "link").c_str()), 0);
  for (const char* path : {"c/.", "c/state/..", "link/", ""}) {
    EXPECT_EQ(kind_of_failure([&] { delete_checkpoint(*path == 0 ? "" : dir / path); }), ErrorKind::kInvalid) << path;
  }
  EXPECT_THAT(names_in(dir.path()), ElementsAre("c", "link"));
  EXPECT_NO_THROW(load(dir / "c"));
}

TEST(DeleteCheckpoint, CutShortAnywhereLeavesTheWholeOrARemainderThatTheNextSaveOrDeletionRemoves) {
  for (int fail_at = 0;; ++fail_at) {
    SCOPED_TRACE(fail_at);
    const TemporaryDirectory dir;
    save_one(dir / "c");
    test::FaultPlan plan{.fail_at = fail_at};
    test::FaultyFileSystem fs(plan);
    Environment environment;
    environment.file_system = &fs;
    try {
      delete_checkpoint(dir / "c", environment);
    } catch (const Error&) {
    }
    if (plan.failed.empty()) {
      EXPECT_THAT(names_in(dir.path()), IsEmpty());
      return;
    }
    if (posix_file_system().find_info(dir / "c")) {
      EXPECT_NO_THROW(load(dir / "c"));
    } else if (fail_at % 2 == 0) {
      save_one(dir / "c");
      EXPECT_THAT(names_in(dir.path()), ElementsAre("c"));
    } else if (posix_file_system().find_info(dir / "c.orbax-checkpoint-tmp")) {
      delete_checkpoint(dir / "c");
      EXPECT_THAT(names_in(dir.path()), IsEmpty());
    }
  }
}

}  // namespace
}  // namespace perdure
