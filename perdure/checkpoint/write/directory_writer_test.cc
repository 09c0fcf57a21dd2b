#include "perdure/checkpoint/write/directory_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "perdure/base/checksum.h"
#include "perdure/checkpoint/files/layout.h"
#include "tests/support/failures.h"
#include "tests/support/temporary_directory.h"

namespace perdure::checkpoint {
namespace {

using testing::ElementsAre;

ListedFile listed(std::string name, std::string_view content) {
  return {std::move(name), content.size(), crc32c(as_bytes(content))};
}

class Directory : public testing::Test {
 protected:
  std::string content(std::string_view name) { return read_file(fs, join_path(writer.path(), name), 1000); }

  test::TemporaryDirectory directory;
  FileSystem& fs = posix_file_system();
  WriteContext context = make_context({});
  DirectoryWriter writer{context, directory.path()};
};

TEST_F(Directory, ListsWhatPassesThrough) {
  writer.put("a", "1");
  writer.put("b/c/d", "22");
  const auto file = writer.create_data_file("d/data");
  file->append(as_bytes("333"));
  EXPECT_EQ(writer.finish_data_file("d/data", *file), listed("d/data", "333"));
  EXPECT_THAT(writer.list(), ElementsAre(listed("a", "1"), listed("b/c/d", "22"), listed("d/data", "333")));
  EXPECT_EQ(content("b/c/d"), "22");
  EXPECT_EQ(content("d/data"), "333");
  EXPECT_EQ(context.statistics.file_count, 3u);
}

TEST_F(Directory, ReadsWhatOthersWroteToListIt) {
  writer.put("a", "1");
  make_directories(fs, directory / "x");
  write_new_file(fs, directory / "x/other", as_bytes("theirs"));
  EXPECT_THAT(writer.list(), ElementsAre(listed("a", "1"), listed("x/other", "theirs")));
}

TEST_F(Directory, IsListedByItsOwnListIfItHasOne) {
  writer.put("a", "1");
  writer.write_list();
  EXPECT_THAT(parse_file_list(content(kFileListFile)), ElementsAre(listed("a", "1")));
  EXPECT_THAT(writer.list(), ElementsAre(listed(std::string(kFileListFile), content(kFileListFile))));
}

TEST_F(Directory, ReplacesNothing) {
  writer.put("a", "1");
  EXPECT_EQ(test::kind_of_failure([&] { writer.put("a", "2"); }), ErrorKind::kAlreadyExists);
  EXPECT_EQ(test::kind_of_failure([&] { writer.create_data_file("a"); }), ErrorKind::kAlreadyExists);
  EXPECT_EQ(content("a"), "1");
}

TEST_F(Directory, HoldsPlainFilesOnly) {
  symlink("/", (directory / "link").c_str());
  EXPECT_EQ(test::kind_of_failure([&] { writer.list(); }), ErrorKind::kInvalid);
}

}  // namespace
}  // namespace perdure::checkpoint
