#include "perdure/storage/kvstore/file_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "perdure/base/error.h"
#include "tests/support/temporary_directory.h"

namespace perdure::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class FileStore : public ::testing::Test {
 protected:
  FileStore() {
    std::filesystem::create_directories(directory_ / "store/sub");
    put("outside", "secret");
    put("store/sub/a", "1");
    put("store/sub/a.__lock", "");
  }
  void put(const std::string& name, std::string_view content) {
    write_new_file(posix_file_system(), directory_ / name, as_bytes(content));
  }
  std::unique_ptr<KvStore> open(bool follow_links = false) {
    return open_kvstore(directory_ / "store", "file", {.follow_links = follow_links});
  }
  test::TemporaryDirectory directory_;
};

TEST_F(FileStore, IgnoresLockFiles) {
  EXPECT_THAT(open()->list(), ElementsAre("sub/a"));
  EXPECT_FALSE(open()->find("sub/a.__lock"));
}

TEST_F(FileStore, RefusesKeysThatLeaveItOrAreNoPaths) {
  for (const char* key : {"../outside", "sub/../../outside", "/etc/passwd", "sub//a", "sub/./a", "sub/a/", ""}) {
    try {
      open()->find(key);
      FAIL() << key;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInvalid) << key;
    }
  }
}

TEST_F(FileStore, DoesNotTakeADirectoryForAValue) { EXPECT_FALSE(open()->find("sub")); }

TEST_F(FileStore, ListsLinksAndReadsThemOnlyWhenFollowed) {
  std::filesystem::create_symlink("../outside", directory_ / "store/link");
  std::filesystem::create_directory_symlink("sub", directory_ / "store/linked");
  EXPECT_THAT(open()->list("link"), ElementsAre("link", "linked"));
  EXPECT_THAT([&] { open()->find("link"); }, ThrowsMessage<Error>(HasSubstr("is a link")));
  EXPECT_THAT([&] { open()->find("linked/a"); }, ThrowsMessage<Error>(HasSubstr("is a link")));
  EXPECT_EQ(open(true)->read("link").text(), "secret");
  EXPECT_EQ(open(true)->read("linked/a").text(), "1");
}

TEST_F(FileStore, RefusesALocationOutsideOfIt) {
  std::byte target[1];
  const ValueLocation location{directory_ / "outside", 0, 6, {}};
  EXPECT_THAT([&] { open()->read_range(location, 0, target); }, ThrowsMessage<Error>(HasSubstr("is not in this store")));
  const ValueLocation escaping{directory_ / "store/../outside", 0, 6, {}};
  EXPECT_THAT([&] { open()->read_range(escaping, 0, target); }, ThrowsMessage<Error>(HasSubstr("is not in this store")));
}

}  // namespace
}  // namespace perdure::storage
