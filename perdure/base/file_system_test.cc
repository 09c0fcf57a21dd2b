#include "perdure/base/file_system.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <future>

#include "perdure/base/error.h"
#include "tests/support/failures.h"

namespace perdure {
namespace {

using test::kind_of_failure;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// An empty directory, removed afterwards.
struct PosixFileSystem : testing::Test {
  PosixFileSystem() {
    std::string name = testing::TempDir() + "perdure_file_system_XXXXXX";
    root = ::mkdtemp(name.data());
  }
  ~PosixFileSystem() override { remove_tree(fs, root); }
  std::string at(std::string_view name) const { return join_path(root, name); }
  std::string text(std::string_view name) const { return read_file(fs, at(name), 1 << 20); }
  void put(std::string_view name, std::string_view content) const { write_new_file(fs, at(name), as_bytes(content)); }
  std::vector<std::string> names() const { return list_tree(fs, root); }

  FileSystem& fs = posix_file_system();
  std::string root;
};

TEST(Paths, AreJoinedAndTakenApart) {
  EXPECT_EQ(join_path("a/b", "c"), "a/b/c");
  EXPECT_EQ(join_path("/", "c"), "/c");
  EXPECT_EQ(join_path("", "c"), "c");
  EXPECT_EQ(parent_path("a/b/c"), "a/b");
  EXPECT_EQ(parent_path("a//b///"), "a");
  EXPECT_EQ(parent_path("c"), ".");
  EXPECT_EQ(parent_path("/c"), "/");
  EXPECT_EQ(parent_path("/"), "/");
  EXPECT_EQ(file_name("a/b/c"), "c");
  EXPECT_EQ(file_name("a/b/c//"), "c");
  EXPECT_EQ(file_name("c"), "c");
}

TEST_F(PosixFileSystem, ReadsWhatWasWrittenAtAnOffset) {
  auto file = fs.create(at("a"));
  file->write_at(3, as_bytes("defg"));
  file->write_at(0, as_bytes("abc"));
  file->truncate(6);
  file->sync();
  EXPECT_EQ(file->size_bytes(), 6);
  EXPECT_EQ(text("a"), "abcdef");
}

TEST_F(PosixFileSystem, ReadingPastTheEndIsCorrupt) {
  put("a", "abc");
  std::string target(4, ' ');
  EXPECT_EQ(kind_of_failure([&] { fs.open(at("a"))->read_at(0, std::as_writable_bytes(std::span(target))); }),
            ErrorKind::kCorrupt);
  EXPECT_EQ(kind_of_failure([&] { fs.open(at("a"))->map(1, 3); }), ErrorKind::kCorrupt);
  EXPECT_EQ(kind_of_failure([&] { fs.open(at("a"))->map(~std::uint64_t{0}, 2); }), ErrorKind::kCorrupt);
  EXPECT_EQ(kind_of_failure([&] { read_file(fs, at("a"), 2); }), ErrorKind::kCorrupt);
}

TEST_F(PosixFileSystem, SaysWhatIsMissingAndWhatIsInTheWay) {
  put("a", "");
  EXPECT_EQ(kind_of_failure([&] { fs.open(at("b")); }), ErrorKind::kNotFound);
  EXPECT_EQ(kind_of_failure([&] { fs.open(at("a/b")); }), ErrorKind::kNotFound);
  EXPECT_EQ(kind_of_failure([&] { fs.list(at("b")); }), ErrorKind::kNotFound);
  EXPECT_EQ(kind_of_failure([&] { fs.remove_file(at("b")); }), ErrorKind::kNotFound);
  EXPECT_EQ(kind_of_failure([&] { fs.create(at("a")); }), ErrorKind::kAlreadyExists);
  EXPECT_EQ(kind_of_failure([&] { fs.make_directory(at("a")); }), ErrorKind::kAlreadyExists);
  EXPECT_FALSE(fs.find_info(at("b")).has_value());
  EXPECT_FALSE(fs.find_info(at("a/b")).has_value());
}

TEST_F(PosixFileSystem, FailuresNameThePathAndTheReason) {
  try {
    fs.open(root);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.errno_value(), EISDIR);
    EXPECT_EQ(error.message(), "cannot open '" + root + "': Is a directory");
  }
}

TEST_F(PosixFileSystem, DoesNotBlockOnAPipe) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0666), 0);
  EXPECT_EQ(kind_of_failure([&] { fs.open(at("pipe")); }), ErrorKind::kIo);
}

TEST_F(PosixFileSystem, FollowsLinksOnlyWhenAsked) {
  put("a", "abc");
  ASSERT_EQ(::symlink("a", at("link").c_str()), 0);
  EXPECT_EQ(fs.open(at("link"))->size_bytes(), 3);
  EXPECT_EQ(kind_of_failure([&] { fs.open(at("link"), false); }), ErrorKind::kIo);
  EXPECT_EQ(fs.find_info(at("link"))->type, FileType::kFile);
  EXPECT_EQ(fs.find_info(at("link"), false)->type, FileType::kLink);
}

TEST_F(PosixFileSystem, SaysWhereAPathReallyLeads) {
  fs.make_directory(at("d"));
  ASSERT_EQ(::symlink("d", at("link").c_str()), 0);
  EXPECT_EQ(fs.real_path(at("link")), fs.real_path(at("d")));
  EXPECT_EQ(fs.real_path(at("link/..")), fs.real_path(at("")));
  EXPECT_EQ(kind_of_failure([&] { fs.real_path(at("nothing")); }), ErrorKind::kNotFound);
}

TEST_F(PosixFileSystem, FindsNothingUnderANameThatNothingCanHave) {
  EXPECT_FALSE(fs.find_info(at(std::string(256, 'x'))));
  EXPECT_EQ(kind_of_failure([&] { fs.make_directory(at(std::string(256, 'x'))); }), ErrorKind::kIo);
}

TEST_F(PosixFileSystem, SyncsDirectoriesWhereThatExists) {
  EXPECT_NO_THROW(fs.sync_directory(root));
  EXPECT_NO_THROW(fs.sync_directory("/proc"));  // whose fsync is EINVAL
  EXPECT_EQ(kind_of_failure([&] { fs.sync_directory(at("nothing")); }), ErrorKind::kNotFound);
}

TEST_F(PosixFileSystem, NewFilesFollowTheUmask) {
  const mode_t before = ::umask(027);
  put("a", "");
  fs.make_directory(at("d"));
  ::umask(before);
  struct stat status;
  ASSERT_EQ(::stat(at("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640);
  ASSERT_EQ(::stat(at("d").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0750);
}

TEST_F(PosixFileSystem, DescriptorsDoNotLeakIntoOtherPrograms) {
  auto file = fs.create(at("a"));
  EXPECT_TRUE(::fcntl(file->native_handle(), F_GETFD) & FD_CLOEXEC);
}

TEST_F(PosixFileSystem, MappingsArePrivateAndNeedNoAlignment) {
  const std::string content(10'000, 'x');
  put("a", content + "abc");
  const auto file = fs.open(at("a"));
  const Blob blob = file->map(9'999, 4);
  ASSERT_EQ(blob.text(), "xabc");
  const_cast<std::byte&>(blob.view()[1]) = std::byte{'A'};
  EXPECT_EQ(blob.text(), "xAbc");
  EXPECT_EQ(text("a"), content + "abc");
  EXPECT_TRUE(file->map(10'003, 0).empty());
}

TEST_F(PosixFileSystem, ALockExcludesEveryOtherOpenFile) {
  auto first = fs.create(at("lock"));
  auto second = fs.open_writable(at("lock"));
  EXPECT_TRUE(first->try_lock());
  EXPECT_TRUE(first->try_lock());
  EXPECT_FALSE(second->try_lock());
  first.reset();
  EXPECT_TRUE(second->try_lock());
}

TEST_F(PosixFileSystem, ReservesBlocks) {
  auto file = fs.create(at("a"));
  file->reserve(1 << 20);
  file->reserve(0);
  struct stat status;
  ASSERT_EQ(::fstat(file->native_handle(), &status), 0);
  EXPECT_GE(status.st_blocks * 512, 1 << 20);
}

TEST_F(PosixFileSystem, ReservingMoreThanTheDiskHasFails) {
  EXPECT_EQ(kind_of_failure([&] { fs.create(at("a"))->reserve(std::uint64_t{1} << 62); }), ErrorKind::kIo);
  EXPECT_EQ(kind_of_failure([&] { fs.create(at("b"))->reserve(std::uint64_t{1} << 63); }), ErrorKind::kIo);
}

TEST_F(PosixFileSystem, RenameReplacesAndRenameNewDoesNot) {
  put("a", "1");
  put("b", "2");
  EXPECT_EQ(kind_of_failure([&] { fs.rename_new(at("a"), at("b")); }), ErrorKind::kAlreadyExists);
  EXPECT_EQ(text("b"), "2");
  fs.rename(at("a"), at("b"));
  EXPECT_EQ(text("b"), "1");
  fs.rename_new(at("b"), at("c"));
  EXPECT_THAT(names(), ElementsAre("c"));
}

TEST_F(PosixFileSystem, ExchangeSwapsTwoDirectories) {
  for (const char* name : {"x", "y"}) {
    fs.make_directory(at(name));
    put(join_path(name, "who"), name);
  }
  if (!fs.exchange(at("x"), at("y"))) GTEST_SKIP() << "this file system cannot exchange";
  EXPECT_EQ(text("x/who"), "y");
  EXPECT_EQ(text("y/who"), "x");
  EXPECT_EQ(kind_of_failure([&] { fs.exchange(at("x"), at("z")); }), ErrorKind::kNotFound);
}

TEST_F(PosixFileSystem, LinksShareTheFile) {
  put("a", "1");
  fs.link(at("a"), at("b"));
  EXPECT_EQ(fs.find_info(at("a"))->inode, fs.find_info(at("b"))->inode);
  EXPECT_EQ(fs.find_info(at("a"))->link_count, 2);
}

TEST_F(PosixFileSystem, ListsSortedWithTypes) {
  put("b", "");
  fs.make_directory(at("c"));
  ASSERT_EQ(::symlink("c", at("a").c_str()), 0);
  const auto entries = fs.list(root);
  ASSERT_EQ(entries.size(), 3);
  EXPECT_EQ(entries[0].name, "a");
  EXPECT_EQ(entries[0].type, FileType::kLink);
  EXPECT_EQ(entries[1].type, FileType::kFile);
  EXPECT_EQ(entries[2].type, FileType::kDirectory);
}

TEST_F(PosixFileSystem, MakesMissingDirectoriesOutermostFirst) {
  EXPECT_THAT(make_directories(fs, at("a/b/c")), ElementsAre(at("a"), at("a/b"), at("a/b/c")));
  EXPECT_THAT(make_directories(fs, at("a/b/d/")), ElementsAre(at("a/b/d/")));
  EXPECT_THAT(make_directories(fs, at("a/b")), IsEmpty());
  put("file", "");
  EXPECT_EQ(kind_of_failure([&] { make_directories(fs, at("file/x")); }), ErrorKind::kNotFound);
}

TEST_F(PosixFileSystem, RemovesTreesWithoutFollowingLinks) {
  make_directories(fs, at("kept"));
  put("kept/file", "");
  make_directories(fs, at("gone/a/b"));
  put("gone/a/file", "");
  ASSERT_EQ(::symlink(at("kept").c_str(), at("gone/link").c_str()), 0);
  ASSERT_EQ(::symlink("nowhere", at("gone/dangling").c_str()), 0);
  remove_tree(fs, at("gone"));
  remove_tree(fs, at("gone"));
  EXPECT_FALSE(fs.find_info(at("gone")));
  EXPECT_THAT(names(), ElementsAre("kept/file"));
}

TEST_F(PosixFileSystem, TwoMayRemoveOneTree) {
  for (int i = 0; i < 200; ++i) {
    const std::string directory = "tree/" + std::to_string(i);
    make_directories(fs, at(directory));
    put(directory + "/file", "");
  }
  const auto remove = [&] { remove_tree(fs, at("tree")); };
  std::future<void> other = std::async(std::launch::async, remove);
  remove();
  other.get();
  EXPECT_THAT(fs.list(root), IsEmpty());
}

TEST_F(PosixFileSystem, RemovesDeepTrees) {
  std::string path = root;
  while (path.size() < 1500) path += "/d";
  make_directories(fs, path);
  remove_tree(fs, at("d"));
  EXPECT_THAT(fs.list(root), IsEmpty());
}

TEST_F(PosixFileSystem, ListsAndSyncsTrees) {
  make_directories(fs, at("d/e"));
  put("d/e/x", "");
  put("d.txt", "");
  ASSERT_EQ(::symlink("nowhere", at("link").c_str()), 0);
  EXPECT_THAT(names(), ElementsAre("d.txt", "d/e/x", "link"));
  EXPECT_THAT(list_tree(fs, root + "/"), ElementsAre("d.txt", "d/e/x", "link"));
  sync_tree(fs, root);
}

}  // namespace
}  // namespace perdure
