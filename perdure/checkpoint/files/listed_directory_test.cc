#include "perdure/checkpoint/files/listed_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "perdure/base/checksum.h"
#include "perdure/base/error.h"
#include "perdure/checkpoint/files/layout.h"
#include "tests/support/temporary_directory.h"

namespace perdure::checkpoint {
namespace {

using ::testing::HasSubstr;

class ListedDirectoryTest : public ::testing::Test {
 protected:
  void write(std::string_view name, std::string_view content) {
    write_new_file(posix_file_system(), directory_ / name, as_bytes(content));
  }
  void list(std::string_view name, std::string_view content) {
    write(kFileListFile,
          encode_file_list({{.name = std::string(name), .size_bytes = content.size(), .crc32c = crc32c(as_bytes(content))}}));
  }
  ListedDirectory open(bool follow_links = false) { return {posix_file_system(), directory_.path(), follow_links}; }
  std::string error_of_read(std::string_view name) {
    try {
      open().read(name);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
      return error.what();
    }
    return "";
  }

  test::TemporaryDirectory directory_;
};

TEST_F(ListedDirectoryTest, ReadsAListedFileThatIsAsItWas) {
  write("f", "abc");
  list("f", "abc");
  EXPECT_TRUE(open().has_list());
  EXPECT_EQ(open().read("f"), "abc");
}

TEST_F(ListedDirectoryTest, RefusesAListedFileThatIsNotAsItWas) {
  write("f", "abc");
  list("f", "abd");
  EXPECT_THAT(error_of_read("f"), HasSubstr("crc32c: stored 0x"));
  EXPECT_THAT(error_of_read("f"), HasSubstr(directory_ / "f"));
}

TEST_F(ListedDirectoryTest, RefusesAListedFileOfAnotherSize) {
  write("f", "abc");
  list("f", "abcd");
  EXPECT_THAT(error_of_read("f"), HasSubstr("size is 3 bytes, written were 4"));
}

TEST_F(ListedDirectoryTest, NamesAListedFileThatIsGone) {
  list("f", "abc");
  EXPECT_THAT(error_of_read("f"), HasSubstr("missing file '" + (directory_ / "f") + "'"));
  EXPECT_THROW(open().contains("f"), Error);
  EXPECT_FALSE(open().contains("g"));
}

TEST_F(ListedDirectoryTest, RefusesADamagedList) {
  write(kFileListFile, "perdure files 1\n");
  EXPECT_THROW(open(), Error);
}

TEST_F(ListedDirectoryTest, FollowsALinkOnlyWhenAsked) {
  write("f", "abc");
  ASSERT_EQ(symlink("f", (directory_ / "link").c_str()), 0);
  EXPECT_THAT(error_of_read("link"), HasSubstr("is a link"));
  EXPECT_EQ(open(true).read("link"), "abc");
}

}  // namespace
}  // namespace perdure::checkpoint
