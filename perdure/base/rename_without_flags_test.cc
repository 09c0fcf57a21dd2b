// FileSystem::rename_new where the kernel knows no flags of rename, as on NFS. The functions of this program take the place of libc's.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>

#include "perdure/base/error.h"
#include "perdure/base/file_system.h"
#include "tests/support/failures.h"
#include "tests/support/temporary_directory.h"

namespace {

bool met_something = false;  // a rename found something under its new name

}  // namespace

extern "C" int renameat2(int, const char*, int, const char*, unsigned) noexcept {
  errno = EINVAL;
  return -1;
}

extern "C" int rename(const char* from, const char* to) noexcept {
  met_something |= ::access(to, F_OK) == 0;
  return ::renameat(AT_FDCWD, from, AT_FDCWD, to);
}

namespace perdure {
namespace {

using test::kind_of_failure;
using test::names_in;
using test::TemporaryDirectory;
using testing::ElementsAre;

FileSystem& fs() { return posix_file_system(); }

TEST(RenameWithoutFlags, MovesADirectoryInOneStep) {
  const TemporaryDirectory dir;
  fs().make_directory(dir / "a");
  fs().rename_new(dir / "a", dir / "b");
  EXPECT_THAT(names_in(dir.path()), ElementsAre("b"));
  EXPECT_FALSE(met_something) << "a crash at that moment would have left it";
}

TEST(RenameWithoutFlags, RefusesWhatIsThere) {
  const TemporaryDirectory dir;
  for (const char* name : {"a", "b"}) fs().make_directory(dir / name);
  for (const char* name : {"x", "y"}) write_new_file(fs(), dir / name, as_bytes(name));
  ASSERT_EQ(::symlink("nowhere", (dir / "link").c_str()), 0);
  for (const auto& [from, to] : {std::pair("a", "b"), {"a", "x"}, {"a", "link"}, {"x", "y"}, {"x", "a"}, {"x", "link"}}) {
    EXPECT_EQ(kind_of_failure([&, from = from, to = to] { fs().rename_new(dir / from, dir / to); }), ErrorKind::kAlreadyExists)
        << from << " to " << to;
  }
  EXPECT_THAT(names_in(dir.path()), ElementsAre("a", "b", "link", "x", "y"));
  fs().rename_new(dir / "x", dir / "z");
  EXPECT_EQ(read_file(fs(), dir / "z", 10), "x");
}

TEST(RenameWithoutFlags, DoesNotExchange) {
  const TemporaryDirectory dir;
  for (const char* name : {"a", "b"}) fs().make_directory(dir / name);
  EXPECT_FALSE(fs().exchange(dir / "a", dir / "b"));
}

}  // namespace
}  // namespace perdure
