#include "perdure/checkpoint/files/directory_items.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "perdure/base/error.h"
#include "tests/support/failures.h"
#include "tests/support/temporary_directory.h"

namespace perdure::checkpoint {
namespace {

using test::story_of_failure;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DirectoryItemsTest : public ::testing::Test {
 protected:
  /// Makes empty files with their directories.
  void touch(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      make_directories(fs_, parent_path(directory_ / name));
      write_new_file(fs_, directory_ / name, {});
    }
  }
  std::string choose(std::string_view name) {
    return choose_tree(fs_, directory_ / "c", find_items(fs_, directory_ / "c"), name);
  }

  test::TemporaryDirectory directory_;
  FileSystem& fs_ = posix_file_system();
};

TEST_F(DirectoryItemsTest, FindsTheItemsOfACheckpointAndLeavesItsMetricsOut) {
  touch({"c/_CHECKPOINT_METADATA", "c/state/_METADATA", "c/metrics/metrics"});
  EXPECT_THAT(find_items(fs_, directory_ / "c").names, ElementsAre("state"));
}

TEST_F(DirectoryItemsTest, TakesAFlatCheckpointAsOneItem) {
  touch({"c/_METADATA", "c/d/x"});
  EXPECT_TRUE(find_items(fs_, directory_ / "c").is_item);
  EXPECT_EQ(choose("AUTO"), "");
}

TEST_F(DirectoryItemsTest, PrefersTheItemNamedState) {
  touch({"c/orbax.checkpoint", "c/aaa/_METADATA", "c/state/_METADATA"});
  EXPECT_EQ(choose("AUTO"), "state");
  EXPECT_EQ(choose("aaa"), "aaa");
}

TEST_F(DirectoryItemsTest, TakesTheFirstTreeWithoutState) {
  touch({"c/orbax.checkpoint", "c/json/metadata", "c/z/_METADATA", "c/pytree/_METADATA"});
  EXPECT_EQ(choose("AUTO"), "pytree");
}

TEST_F(DirectoryItemsTest, SaysWhatThereIs) {
  touch({"c/orbax.checkpoint", "c/json/metadata", "c/z/_METADATA"});
  EXPECT_THAT(story_of_failure(ErrorKind::kNotFound, [&] { choose("model"); }),
              HasSubstr("no item 'model' in '" + (directory_ / "c") + "'; there is 'json', 'z'"));
  EXPECT_THAT(story_of_failure(ErrorKind::kNotFound, [&] { choose("json"); }), HasSubstr("holds no tree"));
}

TEST_F(DirectoryItemsTest, NamesAPathThatIsNoCheckpoint) {
  touch({"other/thesis.tex"});
  make_directories(fs_, directory_ / "empty");
  for (const std::string name : {"other", "empty", "absent", "other/thesis.tex"}) {
    EXPECT_THAT(story_of_failure(ErrorKind::kNotFound, [&] { find_items(fs_, directory_ / name); }),
                HasSubstr(directory_ / name));
  }
  EXPECT_THAT(test::names_in(directory_.path()), ElementsAre("empty", "other"));
}

TEST_F(DirectoryItemsTest, RefusesAnUnfinishedCheckpoint) {
  touch({"c.orbax-checkpoint-tmp/_METADATA"});
  EXPECT_THAT(story_of_failure(ErrorKind::kCorrupt, [&] { find_items(fs_, directory_ / "c.orbax-checkpoint-tmp"); }),
              HasSubstr("not finished"));
}

TEST_F(DirectoryItemsTest, FollowsALinkToTheCheckpointButNotToAnItem) {
  touch({"real/orbax.checkpoint", "elsewhere/_METADATA"});
  ASSERT_EQ(symlink("real", (directory_ / "c").c_str()), 0);
  ASSERT_EQ(symlink("../elsewhere", (directory_ / "real/state").c_str()), 0);
  const DirectoryItems items = find_items(fs_, directory_ / "c");
  EXPECT_THAT(items.names, ElementsAre("state"));
  EXPECT_THAT(story_of_failure(ErrorKind::kCorrupt, [&] { item_path(fs_, directory_ / "c", items, "state", false); }),
              HasSubstr("is a link"));
  EXPECT_EQ(item_path(fs_, directory_ / "c", items, "state", true), directory_ / "c/state");
}

}  // namespace
}  // namespace perdure::checkpoint
